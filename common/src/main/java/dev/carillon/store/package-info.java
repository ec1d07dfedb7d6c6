/** The port to durable state and its answers. */
package dev.carillon.store;
