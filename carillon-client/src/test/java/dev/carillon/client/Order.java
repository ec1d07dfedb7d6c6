package dev.carillon.client;

/** What is sent in tests. */
record Order(int id, String note) {}
