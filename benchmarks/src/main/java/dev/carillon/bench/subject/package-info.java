/** What is measured: Carillon and others behind one interface, each in processes of its own. */
package dev.carillon.bench.subject;
