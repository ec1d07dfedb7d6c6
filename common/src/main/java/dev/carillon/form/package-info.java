/** Strict reading of untyped input, with every problem collected. JDK only; pure. */
package dev.carillon.form;
