/**
 * When a task fires: intervals, cron, recurrence rules and single instants, with time zones,
 * daylight-saving rules, exclusions and a preview that says why. Pure: no clock, no I/O, no
 * logging; the present is an argument.
 */
package dev.carillon.schedule;
