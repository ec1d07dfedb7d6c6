package dev.carillon.embedded;

/** An index that queries and sort orders can be answered from. */
interface QueryableIndex {

  IndexEntries entries();
}
