/** What happens to tasks, for others to react to; told best-effort, after it has been stored. */
package dev.carillon.event;
