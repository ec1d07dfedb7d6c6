/** The store on MongoDB. */
package dev.carillon.mongo;
