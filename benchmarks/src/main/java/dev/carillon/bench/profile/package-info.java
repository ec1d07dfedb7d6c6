/** Where Carillon's CPU time goes, by Java Flight Recorder. */
package dev.carillon.bench.profile;
