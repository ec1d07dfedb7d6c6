/**
 * The servers that tests need: a RabbitMQ broker and a store that speaks MongoDB's protocol.
 *
 * <p>Each is chosen once per JVM, in this order: the server that an environment variable names, a
 * container when a Docker engine answers, and at last one that needs nothing but this machine. The
 * choice and the reasons for it are printed; when there is no way to get a server, the test that
 * asked for it fails with a message that says what to install.
 *
 * <table>
 * <caption>Environment variables</caption>
 * <tr><td>{@code TEST_AMQP_URI}<td>use this broker
 * <tr><td>{@code TEST_RABBITMQ_IMAGE}<td>image for a broker container, instead of {@code
 * rabbitmq:4-management}
 * <tr><td>{@code RABBIT_BIN}<td>folder with {@code rabbitmq-server} and {@code rabbitmqctl}, for
 * another installation than the system's
 * <tr><td>{@code TEST_MONGODB_URI}<td>use this MongoDB; a database named in it is left alone
 * <tr><td>{@code TEST_MONGO_IMAGE}<td>image for a MongoDB container, instead of {@code mongo:8}
 * <tr><td>{@code DOCKER_HOST}<td>where the Docker engine is, as for Docker's own client
 * </table>
 */
package dev.carillon.testkit;
