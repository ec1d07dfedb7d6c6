/** What is done with subjects, and which figures are made of it. */
package dev.carillon.bench.scenario;
