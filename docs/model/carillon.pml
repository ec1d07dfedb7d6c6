/*
 * The protocol between the store, the broker, the workers, the sweepers and the users, for spin.
 * README.md says what is in it, ./check runs it.
 *
 * One task with N sub-tasks. What is one conditional write in the code is one atomic step here, and
 * between any two steps everybody else may do anything, and whoever is at it may die.
 */

#ifndef N
#define N 2
#endif
#ifndef FAULTS
#define FAULTS 2 /* deaths, freezes, losses, doublings, refusals, failures, in all */
#endif
#ifndef EDITS
#define EDITS 1  /* what users do after they have created the task */
#endif
#ifndef FAR
#define FAR 1
#endif
#define WORKERS 2
#define TOKENS 10

mtype = { ABSENT, ACTIVE, PAUSED, FINISHED, CANCELED };
mtype = { SCHEDULED, PENDING, RUNNING };

/* the stored task */
mtype status = ABSENT;
mtype live = SCHEDULED;
byte cursor = 0;
byte token = 0;
byte version = 0;
byte claim = 0;       /* the token that it was taken with; 0: nobody holds it */
byte lease = 0;       /* stands for the time at which the claim's lease ends */
bool over = false;    /* which has passed */
bool wake = false;    /* it has a wakeAt */
bool overdue = false; /* which has passed; while somebody holds it, no later than its lease ends */

/* the broker, and notices on their way */
byte waiting[TOKENS];     /* how many of an arming can be delivered */
byte underWay[TOKENS];    /* these, those in a worker's hands, and those that somebody is about to
                             park */
bool redelivered[TOKENS];
byte indexOf[TOKENS];     /* which sub-task an arming was for */

/* the workers */
byte running[WORKERS];   /* the token under which a handler runs */
bool busy[WORKERS];      /* idle ones are alike: of those the first takes what comes */
bool beats[TOKENS];      /* somebody keeps the lease of this claim alive */
bool leaseOver[TOKENS];  /* its lease has ended, as its holder can tell by the clock */

/* time and what goes wrong */
byte due = 0;  /* so many sub-tasks have become due */
byte far = FAR; /* so many are beyond the horizon when they are armed */
byte faults = FAULTS;

/* what users were told and what is remembered of the past */
bool canceled = false;
bool paused = false;
byte oldest = 0;  /* armings before this one have been called off by an edit */
byte ended[N];
bool begun[N];

#ifdef NO_LEASE_WATCH
#define IS_LIVE(w) (running[w] != 0)
#else
#define IS_LIVE(w) (running[w] != 0 && !leaseOver[running[w]])
#endif

#ifdef NO_VERSION
#define UNCHANGED(v) true
#else
#define UNCHANGED(v) (version == v)
#endif

#ifdef CLAIM_IGNORES_STATUS
#define MAY_BE_CLAIMED(t) (token == t && claim == 0 && cursor == indexOf[t])
#elif defined(CLAIM_IGNORES_TOKEN)
#define MAY_BE_CLAIMED(t) (status == ACTIVE && claim == 0 && cursor == indexOf[t])
#elif defined(CLAIM_IGNORES_CLAIM)
#define MAY_BE_CLAIMED(t) (status == ACTIVE && token == t && cursor == indexOf[t])
#else
#define MAY_BE_CLAIMED(t) (status == ACTIVE && token == t && claim == 0 && cursor == indexOf[t])
#endif

#ifdef TAKES_OVER_EXTENDED
#define NOT_EXTENDED(l) true
#else
#define NOT_EXTENDED(l) (lease == l)
#endif

#ifdef EXTEND_WITHOUT_CLAIM
#define MAY_EXTEND(t) true
#else
#define MAY_EXTEND(t) (claim == t)
#endif

#ifdef NO_FENCING
#define MAY_FINISH(t) true
#else
#define MAY_FINISH(t) (claim == t)
#endif

/* Whoever is at it dies before the next step, or goes on. To begin an atomic step with. */
#define MAY_DIE(after) if :: faults > 0 -> faults--; goto after :: true fi

/* The live sub-task gets the next token and is to be parked, or waits beyond the horizon. */
inline arm(base) {
#ifdef ARM_KEEPS_TOKEN
  token = (base == 0 -> 1 : base);
#else
  token = base + 1;
#endif
  assert(token < TOKENS);
  indexOf[token] = cursor;
  overdue = false;
  wake = true;
  if
  :: far > 0 && cursor >= due -> far--; live = SCHEDULED
  :: live = PENDING;
#ifdef NO_WAKE
     wake = false
#endif
  fi
}

/* Nothing is to happen by itself. */
inline rest() {
  live = SCHEDULED;
  wake = false;
  overdue = false
}

/* After an exchange: the notice that it has armed, if any, is to be parked. */
inline noteWhatToPark() {
  version++;
  sVersion = version;
  if
  :: status == ACTIVE && live == PENDING -> todo = token; underWay[todo]++
  :: else -> todo = 0
  fi
}

inline put(t) {
  waiting[t]++;
  underWay[t]++
}

/* Publishes a notice, which the broker confirms or not; it may have it all the same. */
inline publish() {
  if
  :: todo == 0
  :: todo != 0 -> waiting[todo]++; todo = 0
  :: todo != 0 && faults > 0 ->
     faults--;
     if
     :: waiting[todo]++
     :: underWay[todo]--
     fi;
     todo = 0;
#ifndef UNCONFIRMED
     refused = true
#endif
  fi
}

/* What has not been confirmed is marked: a sweep is to see to it at once. */
inline unpark() {
  refused = false;
  if
  :: UNCHANGED(sVersion) -> live = SCHEDULED; wake = true; overdue = true; version++
  :: else
  fi
}

/* Whoever was to park something has died before. */
inline giveUpParking() {
  if
  :: todo != 0 -> underWay[todo]--; todo = 0
  :: else
  fi;
  refused = false
}

/* The task as it is now: what its reader will need of it. */
inline readAsWorker() {
  sVersion = version;
  sStatus = status;
  sCursor = cursor;
  sToken = token
}

inline readAsSweeper() {
  sVersion = version;
  sStatus = status;
  sToken = token;
  sClaim = claim;
  sLive = live;
  sLease = lease;
  sOver = over
}

inline readAsUser() {
  sVersion = version;
  sStatus = status;
  sToken = token;
  sClaim = claim;
#ifdef WHOLE_DOCUMENT
  sLease = lease;
  sOver = over;
#endif
  sCursor = cursor
}

inline forget() {
  sVersion = 0;
  sStatus = ABSENT;
  sToken = 0
}

/* An exchange leaves the lease of a claim alone: it may have been extended since it was read. */
inline keepLease() {
#ifdef WHOLE_DOCUMENT
  overdue = sOver;
  over = sOver;
  lease = sLease
#else
  skip
#endif
}

#define MAY_TAKE (me == 0 || busy[0])
#ifdef EARLY_START
#define ARRIVES(n) (MAY_TAKE && waiting[n] > 0)
#else
/* one that is early is parked again for the rest, after which all is as before */
#define ARRIVES(n) (MAY_TAKE && waiting[n] > 0 && indexOf[n] < due)
#endif

proctype Worker(byte me) {
  byte t = 0;
  byte todo = 0;
  bool refused = false;
  bool inHand = false;
  bool succeeded = false;
  byte sVersion, sCursor, sToken;
  mtype sStatus;


end_idle:
idle:
  atomic {
    if
    :: ARRIVES(1) -> t = 1
    :: ARRIVES(2) -> t = 2
    :: ARRIVES(3) -> t = 3
    :: ARRIVES(4) -> t = 4
    :: ARRIVES(5) -> t = 5
    :: ARRIVES(6) -> t = 6
    :: ARRIVES(7) -> t = 7
    :: ARRIVES(8) -> t = 8
    :: ARRIVES(9) -> t = 9
    fi;
    waiting[t]--;
    busy[me] = true;
    inHand = true
  };

arrived:
  atomic {
    MAY_DIE(dead);
    if
    :: MAY_BE_CLAIMED(t) ->
       /* the guarantees, at the only place where anything starts */
       assert(cursor < due);
       assert(!canceled && !paused && t >= oldest);
       assert(!IS_LIVE(1 - me));
       assert(ended[cursor] == 0);
       claim = t;
       lease = 0;
       over = false;
       live = RUNNING;
       wake = true;
       overdue = false;
       version++;
       beats[t] = true;
       leaseOver[t] = false
    :: else ->
       if
       :: status == ACTIVE && token != t && redelivered[t] && live == PENDING ->
          /* whoever had it before may have died between advancing and parking */
          sVersion = version;
          todo = token;
          underWay[todo]++;
          goto parkNext
       :: else -> goto ack
       fi
    fi
  };

  if
  :: atomic { faults > 0 -> faults--; beats[t] = false } /* slow: the lease may end before the look */
  :: true
  fi;

look: /* at what came of it, since claims are written together */
  atomic {
    MAY_DIE(dead);
    readAsWorker();
    if
#ifdef LOOK_IGNORES_STATUS
    :: claim == t ->
#else
    :: claim == t && status == ACTIVE ->
#endif
       /* here the handler starts: after a cancel or a pause was answered it does not */
       assert(!canceled && !paused);
       begun[cursor] = true;
       running[me] = t
#ifdef WITHDRAWN_CLAIM_KEPT
    :: claim == t && status != ACTIVE -> beats[t] = false; goto ack
#elif !defined(LOOK_IGNORES_STATUS)
    :: claim == t && status != ACTIVE -> goto advance
#endif
    :: claim != t -> goto ack /* somebody has taken it over already */
    fi
  };

handle:
  if
  :: atomic { faults > 0 -> faults--; beats[t] = false; goto frozen } /* or cut off */
  :: atomic { faults > 0 -> faults--; goto dead }
  :: atomic { faults > 0 -> faults--; running[me] = 0; goto advance } /* fails, or is told to stop */
  :: atomic { faults > 0 -> faults--; succeeded = true; running[me] = 0; beats[t] = false;
              goto advance } /* nobody extends the lease any more, and it is slow */
  :: atomic { succeeded = true; running[me] = 0; goto advance }
  fi;

frozen:
  if
  :: atomic { /* comes back, and the heartbeat is first */
       if
       :: MAY_EXTEND(t) -> beats[t] = true; leaseOver[t] = false; over = false; lease++;
          assert(!IS_LIVE(1 - me));
          goto handle
       :: else -> running[me] = 0
       fi
     }
  :: atomic { leaseOver[t] -> running[me] = 0 } /* the watch over the lease is first */
  fi;

advance:
  atomic {
    MAY_DIE(dead);
    if
    :: UNCHANGED(sVersion) ->
       claim = 0;
       over = false;
       beats[t] = false;
       cursor = sCursor;
       if
       :: succeeded -> ended[sCursor]++; assert(ended[sCursor] == 1); cursor = sCursor + 1
       :: else
       fi;
       if
       :: sStatus == CANCELED -> rest()
       :: sStatus != CANCELED && cursor == N -> status = FINISHED; rest()
       :: sStatus == ACTIVE && cursor < N -> arm(sToken)
       :: sStatus == PAUSED && cursor < N -> rest()
       fi;
       noteWhatToPark()
    :: else ->
       if
       :: MAY_FINISH(t) -> readAsWorker(); goto advance
       :: else -> goto ack /* too late */
       fi
    fi
  };

parkNext:
  atomic { MAY_DIE(dead); publish() };
  if
  :: atomic { refused -> MAY_DIE(dead); unpark() }
  :: !refused
  fi;

ack:
  atomic {
    MAY_DIE(dead);
    if
    :: inHand -> underWay[t]--; inHand = false
    :: else
    fi;
    t = 0;
    succeeded = false;
    sCursor = 0;
    busy[me] = false;
    forget();
    goto idle
  };

dead:
  /* what was not acknowledged is delivered again; it is started again as another */
  atomic {
    running[me] = 0;
    beats[t] = false;
    if
#ifdef ACK_FIRST
    :: inHand -> underWay[t]--; inHand = false
#else
    :: inHand -> waiting[t]++; redelivered[t] = true; inHand = false
#endif
    :: else
    fi;
    t = 0;
    succeeded = false;
    sCursor = 0;
    busy[me] = false;
    giveUpParking();
    forget();
    goto idle
  }
}

proctype Sweeper() {
  byte todo = 0;
  bool refused = false;
  byte sVersion, sToken, sClaim, sLease;
  mtype sStatus, sLive;
  bool sOver;

end_again:
again:
  atomic { overdue -> readAsSweeper() };
  atomic {
    MAY_DIE(dead);
    if
    :: UNCHANGED(sVersion) && (sClaim == 0 || !sOver || NOT_EXTENDED(sLease)) ->
       if
       :: sClaim != 0 && !sOver -> /* heartbeats do not move wakeAt: it is set anew */
          overdue = over
       :: sClaim != 0 && sOver -> /* a worker fell silent */
          assert(faults < FAULTS); /* which none does without a reason */
          claim = 0;
          over = false;
          if
          :: sStatus == ACTIVE -> arm(sToken)
          :: else -> rest()
          fi
       :: sClaim == 0 && sLive == PENDING -> overdue = false /* a notice got lost */
       :: sClaim == 0 && sLive != PENDING -> arm(sToken)
       fi;
       noteWhatToPark()
    :: else
    fi
  };
  atomic { MAY_DIE(dead); publish() };
  if
  :: atomic { refused -> MAY_DIE(dead); unpark() }
  :: !refused
  fi;
dead:
  atomic { giveUpParking(); sClaim = 0; sLive = SCHEDULED; sLease = 0; sOver = false; forget();
           goto again }
}

proctype User() {
  byte edits = EDITS;
  byte todo = 0;
  bool refused = false;
  byte sVersion, sCursor, sToken, sClaim, sLease;
  mtype sStatus;
  bool sOver;

  atomic { status = ACTIVE; arm(0); noteWhatToPark() };

parkIt:
  atomic { MAY_DIE(next); publish() }; /* the API dies between storing and parking */
  if
  :: atomic { refused -> MAY_DIE(next); unpark() }
  :: !refused
  fi;

next:
  atomic {
    giveUpParking();
    sCursor = 0;
    sClaim = 0;
    forget();
    if
    :: edits == 0 -> goto done
    :: edits > 0 -> edits--; goto cancel
    :: edits > 0 -> edits--; goto pause
    :: edits > 0 -> edits--; goto edit
    :: goto done
    fi
  };

cancel:
  atomic {
#ifdef CANCEL_ANSWERED_FIRST
    canceled = true;
#endif
    readAsUser()
  };
  atomic {
    if
    :: sStatus == FINISHED -> goto done
    :: sStatus != FINISHED && UNCHANGED(sVersion) ->
       status = CANCELED;
       if
       :: sClaim == 0 -> rest()
       :: else -> keepLease()
       fi;
       version++;
       canceled = true;
       goto done
    :: else -> goto cancel
    fi
  };

pause:
  atomic { readAsUser() };
  atomic {
    if
    :: sStatus == FINISHED -> goto done
    :: sStatus != FINISHED && UNCHANGED(sVersion) ->
       status = PAUSED;
       if
       :: sClaim == 0 -> rest()
       :: else -> keepLease()
       fi;
       version++;
       paused = true
    :: else -> goto pause
    fi
  };

resume:
  atomic { paused = false; readAsUser() };
  atomic {
    if
    :: sStatus == FINISHED -> goto done
    :: sStatus != FINISHED && UNCHANGED(sVersion) ->
       status = ACTIVE;
       if
#ifdef RESUME_DOES_NOT_ARM
       :: sClaim == 0 -> skip
#else
       :: sClaim == 0 -> arm(sToken)
#endif
       :: else -> keepLease()
       fi;
       noteWhatToPark();
       goto parkIt
    :: else -> goto resume
    fi
  };

edit: /* the schedule: what has begun goes on, the rest is planned anew */
  atomic { readAsUser() };
  atomic {
    if
    :: sStatus == FINISHED -> goto done
    :: sStatus != FINISHED && UNCHANGED(sVersion) ->
       if
       :: sClaim == 0 && !begun[sCursor] -> arm(sToken); oldest = token; noteWhatToPark()
       :: else -> keepLease(); version++
       fi;
       goto parkIt
    :: else -> goto edit
    fi
  };

done:
  skip
}

#define WAITS (wake && !overdue && claim == 0 && live == PENDING && cursor < due)

/* Time passes as it likes, but for a lease that is being extended. */
proctype Time() {
end_time:
  do
  :: atomic { due < N -> due++ }
  :: atomic { wake && !overdue && claim == 0 && live == SCHEDULED -> overdue = true }
  :: atomic { WAITS && underWay[token] == 0 -> overdue = true }
  :: atomic { WAITS && underWay[token] > 0 && faults > 0 -> faults--; overdue = true } /* slow */
  :: atomic { wake && !over && claim != 0 && !beats[claim] ->
              over = true; overdue = true; leaseOver[claim] = true }
  :: atomic { wake && !overdue && claim != 0 && beats[claim] && faults > 0 -> /* a long run */
              faults--; overdue = true }
  od
}

/* Notices get lost, and are doubled, however old they are. */
proctype Broker() {
  byte n = 1;
end_broker:
  do
  :: atomic {
       faults > 0 && token > 0 -> faults--;
       do
       :: n < token -> n++
       :: break
       od;
       if
       :: waiting[n] > 0 -> waiting[n]--; underWay[n]--
       :: put(n)
       fi;
       n = 1
     }
  od
}

init {
  atomic {
    run User();
    run Worker(0);
    run Worker(1);
#ifndef NO_SWEEPER
    run Sweeper();
#endif
    run Time();
    run Broker()
  };
  /* nothing can happen any more: everything has come to its end, and nothing is left to do */
  timeout;
  assert(status == FINISHED || status == CANCELED);
  assert(claim == 0 && !wake);
  assert(status == CANCELED || ended[N - 1] == 1)
}
