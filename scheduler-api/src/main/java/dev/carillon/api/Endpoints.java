package dev.carillon.api;

/** What the API can do. */
public record Endpoints(
    TaskEndpoints tasks,
    BatchEndpoint batch,
    SubTaskEndpoints subTasks,
    ExplainEndpoint explain,
    ParkedEndpoints parked) {}
