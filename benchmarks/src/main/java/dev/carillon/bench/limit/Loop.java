package dev.carillon.bench.limit;

/** Lets messages wait and arrive over and over, until the process ends. */
interface Loop {

  void start() throws Exception;

  /** How many have gone all the way so far. */
  long count();
}
