/** The queues on RabbitMQ: time to live and dead-lettering do the timing. */
package dev.carillon.rabbit;
