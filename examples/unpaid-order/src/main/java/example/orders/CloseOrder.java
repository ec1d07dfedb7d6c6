package example.orders;

/** That an order is to be closed unless it is paid by now. */
public record CloseOrder(String order) {}
