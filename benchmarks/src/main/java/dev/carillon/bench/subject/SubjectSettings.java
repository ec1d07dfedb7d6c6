package dev.carillon.bench.subject;

import dev.carillon.bench.process.Servers;

/**
 * What is the same for all subjects.
 *
 * @param threads how many jobs each runs at a time
 * @param mostQueues how many queues the broker may have to hold at a time, where each job has one
 */
public record SubjectSettings(Servers servers, int threads, int mostQueues) {}
