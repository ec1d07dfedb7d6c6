package dev.carillon.api;

/** What the API can do. */
public record Endpoints(
    TaskEndpoints tasks,
    KeyedEndpoints keyed,
    BatchEndpoint batch,
    SubTaskEndpoints subTasks,
    ExplainEndpoint explain,
    ParkedEndpoints parked) {}
