/** The settings that all processes share, read in one place. */
package dev.carillon.config;
