package dev.carillon.ops;

/**
 * One thing that can be set, as documentation shows it.
 *
 * @param name of the environment variable
 * @param accepted which values may be given
 * @param standard the value when nothing is given, written as it would be given; empty for none
 * @param description in one line
 */
public record Setting(String name, String accepted, String standard, String description) {}
