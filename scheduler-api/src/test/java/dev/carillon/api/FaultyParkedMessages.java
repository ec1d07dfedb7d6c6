package dev.carillon.api;

import dev.carillon.queue.GivenUp;
import dev.carillon.queue.ParkAnswer;
import dev.carillon.queue.ParkedListing;
import dev.carillon.queue.ParkedMessage;
import dev.carillon.queue.ParkedMessages;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Messages that were put aside, with some from elsewhere among them; does something else first. */
final class FaultyParkedMessages implements ParkedMessages {

  private final ParkedMessages messages;
  private final List<ParkedMessage> strays = new CopyOnWriteArrayList<>();
  private volatile Runnable first = () -> {};
  private volatile int beyondReach;

  FaultyParkedMessages(ParkedMessages messages) {
    this.messages = messages;
  }

  /** Before every call from now on. */
  void first(Runnable action) {
    first = action;
  }

  /** So many have been put aside that nobody can look at. */
  void hasBeyondReach(int count) {
    beyondReach = count;
  }

  void addStray(ParkedMessage stray) {
    strays.add(stray);
  }

  @Override
  public ParkAnswer park(GivenUp givenUp) {
    first.run();
    return messages.park(givenUp);
  }

  @Override
  public ParkedListing look(int limit) {
    first.run();
    ParkedListing listing = messages.look(limit);
    List<ParkedMessage> all = new ArrayList<>(strays);
    all.addAll(listing.messages());
    List<ParkedMessage> listed = all.subList(0, Math.min(limit, all.size()));
    int unlisted = all.size() - listed.size();
    return new ParkedListing(
        listed, listing.others() + unlisted + beyondReach, listing.beyondReach() + beyondReach);
  }

  @Override
  public RetryAnswer retry(String id) {
    first.run();
    return removeStray(id) ? RetryAnswer.SENT_BACK : messages.retry(id);
  }

  @Override
  public boolean drop(String id) {
    first.run();
    return removeStray(id) || messages.drop(id);
  }

  private boolean removeStray(String id) {
    return strays.removeIf(stray -> stray.id().equals(id));
  }
}
