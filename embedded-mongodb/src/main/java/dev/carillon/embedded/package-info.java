/**
 * A small database that speaks MongoDB's protocol, for trying things out and for tests.
 *
 * <p>mongo-java-server does the protocol, the query language and the update operators; H2's MVStore
 * keeps the data in one file. In between, this package adds what a store of record needs: a write
 * is in the file before it is acknowledged, a reader never sees a document half changed, and
 * filters and sort orders are answered from indexes.
 *
 * <p><b>What it is not.</b> It is not MongoDB: no authentication (hence loopback only), no
 * transactions, sessions, change streams or replication; TTL indexes are accepted but delete
 * nothing; a partial index covers every document, and one that is also unique is refused; an
 * ordered bulk of updates goes on after an error; counting by a filter and aggregating read the
 * whole collection. All matching documents of a query are held in memory, so queries should carry a
 * limit. It is meant for up to about 100,000 documents a collection: the indexes are on the heap,
 * and are rebuilt from the data at start.
 *
 * <p><b>Logging.</b> mongo-java-server logs whole documents on ordinary events such as a duplicate
 * key. Whoever uses this package switches that off in the logging configuration, with Logback:
 *
 * <pre>{@code <logger name="de.bwaldvogel" level="OFF"/>}</pre>
 */
package dev.carillon.embedded;
