/** A shop that closes orders which have not been paid in time. */
package example.orders;
