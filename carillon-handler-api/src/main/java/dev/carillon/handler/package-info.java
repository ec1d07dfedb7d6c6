/** What code that runs in Carillon's workers implements and gets. Without dependencies. */
package dev.carillon.handler;
