/**
 * Publishes messages that are to be delivered later or again and again, and receives them. Nothing
 * in it is needed to work with Carillon: it is a convenience over AMQP and HTTP.
 */
package dev.carillon.client;
