package dev.carillon.api;

/** What the API can do. */
public record Endpoints(
    TaskEndpoints tasks, KeyedEndpoints keyed, ExplainEndpoint explain, ParkedEndpoints parked) {}
