package dev.carillon.api;

/** What the API can do. */
public record Endpoints(TaskEndpoints tasks, ExplainEndpoint explain, ParkedEndpoints parked) {}
