/**
 * The HTTP API. Requests are read and checked here, carried out by the core, and answered in JSON;
 * what is wrong is answered as problem details of RFC 9457.
 */
package dev.carillon.api;
