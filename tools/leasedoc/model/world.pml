/* The world around the lifecycle, and what must never happen in it. Written by hand; the words above this line come from
 * the tables of the program.
 *
 * One invocation of one plugin, from acquire to release:
 *
 *   Owner     fires the events; every write is publish, then settle, and memory moves after it
 *   World     the gate, the plugin's processes, helpers of the owner; and every accident: the death of any of them at any
 *             step, an owner that execs itself, a write that lands late, one reboot that may undo what was not settled
 *   Doctor    seizes the liveness lock under the catalogue lock, judges step by step, removes
 *   Acquirer  a second invocation of the same plugin: probes, judges step by step, is admitted or not
 *
 * Doctor and Acquirer may give up at any step: that is their crash, since all they hold are locks that the kernel frees.
 * One bit stands for all processes of the plugin: no decision can tell one from many.
 *
 * Worlds (each adds accidents)               Mutants (each must break an invariant)
 *   LOST     replies of writes get lost        MEMFIRST   memory moves before the disk
 *   LETGO    the owner may exec itself         GATEFIRST  the gate opens before host-active is written
 *   HELPERS  helpers inside the boundary       EOFOPENS   the gate opens at the end of its owner
 *   VIEWS    judged from another namespace,    ADMITORPHAN  a second invocation is admitted beside an orphan
 *            without evidence, or by someone   READOLD    reading the old bytes counts as "did not land"
 *            who may not look                  EARLYWORD  cleanup-complete on the gate's death alone
 *   PIDREUSE numbers of the dead are taken     UNBOUNDED  helpers outside any boundary (breaks an assumption)
 *   PIDONLY  and nothing but numbers compared  BLINDPROOF the boundary misses a process (breaks an assumption)
 *   HOLDON   a doctor frees the catalogue     HELPERSTAYS  a helper stays beyond hostStarting (breaks an assumption)
 *            lock before the liveness lock
 * SKIPI1   does not ask for I1. ORIGINAL decides by the original program's rules: no liveness lock, no evidence, no boundary.
 */

/* The lease. */
mtype disk = ABSENT;      /* what everybody reads */
mtype settled = ABSENT;   /* what a power loss may bring back */
mtype mem = ABSENT;       /* what the handle says */
bool recorded;            /* a host is on record */
mtype want = ABSENT;      /* the write that froze the handle */
bool busy, frozen, lost;  /* inside a write; its outcome is not known; somebody else touched the lease */
mtype late = ABSENT, lateFrom = ABSENT; /* a write whose reply was lost and which may still land */

/* Who lives. */
bool owner = true, holds = true; /* the owner; it still looks after its lease, and so holds the liveness lock */
bool gate, opened, started;      /* the gate; it was sent its byte; it has started the plugin */
bool plugin, helper;             /* any process of the plugin; any helper of the owner */
bool spawned, bounded, note;     /* a gate was made; the boundary is on record; the boundary's proof is there */
bool rebooted;
bool ownerNumber, hostNumber;    /* their process numbers belong to strangers by now */

/* Locks. The catalogue lock of the owner's own writes lasts one step and needs no name. */
mtype = { NOBODY, DOCTOR, ACQUIRER };
mtype catalogue = NOBODY;
bool seized;                     /* the doctor holds the liveness lock */

#define ACTS      (owner && holds)
#define CATALOGUE (catalogue == NOBODY)
#define LEASE(s)  ((s) != ABSENT && (s) != RELEASED)
#define RUNS      (plugin || helper)
#ifdef BLINDPROOF
#define EMPTY (!helper)
#else
#define EMPTY (!plugin && !helper)
#endif

/* The number tells, in the checker's message, which invariant broke. */
#define MUST(n, holds) assert((holds) || (n) == 0)

#ifdef SKIPI1
#define I1(ownerSeen) true
#else
#define I1(ownerSeen) (!RUNS || (ownerSeen))
#endif
#define I2 (!RUNS)
#define I3 (!ACTS || RANK(mem) <= RANK(disk))
#define I4 (disk == HOST_ACTIVE && settled == HOST_ACTIVE)
#define I5 (disk != CLEANUP_COMPLETE || !RUNS)
#define I6 (!ACTS || busy || frozen || lost || mem == disk || LEASE(mem) == LEASE(disk) && !LEASE(mem))

inline publish(to) {
	disk = to;
	if :: to == HOST_STARTING -> recorded = true :: else fi
}

/* One transition of the owner, from mem to to. A clean failure changes nothing and is not a step of its own. */
inline fire(to) {
	atomic {
		ACTS && CATALOGUE && !frozen && !lost -> busy = true; was = mem;
#ifdef MEMFIRST
		mem = to
	}
	atomic {
		ACTS && CATALOGUE ->
#endif
		if
		:: disk == was -> publish(to)
#ifdef LOST
		:: disk == was -> publish(to); frozen = true
		:: late = to; lateFrom = was; frozen = true
#endif
		:: disk != was -> lost = true
		fi
	}
	atomic {
		ACTS ->
		if
		:: frozen || lost
		:: !frozen && !lost -> settled = disk; mem = to
		:: !frozen && !lost -> mem = to /* ErrNotDurable: visible, and the gate stays shut */
		fi;
		busy = false; want = (frozen -> to : ABSENT); was = ABSENT
	}
}

/* Sends the same bytes again under the same condition, until the answer is definite. */
inline resync() {
	if
#ifdef READOLD
	:: disk == mem -> skip
#else
	:: disk == mem -> publish(want); settled = disk; mem = want
#endif
	:: disk == want -> settled = disk; mem = want
	:: else -> lost = true
	fi;
	frozen = false; want = ABSENT
}

active proctype Owner() {
	mtype was = ABSENT;
	do
	:: ACTS && CAN_acquire(mem) -> fire(TO_acquire)
	:: atomic { ACTS && mem == PARENT_OWNED && !frozen && !spawned -> gate = true; spawned = true }
	:: atomic { ACTS && mem == PARENT_OWNED && !frozen && !bounded && spawned -> bounded = true }
#ifdef HELPERSTAYS
	:: ACTS && CAN_hostStarting(mem) && bounded && gate -> fire(TO_hostStarting)
#else
	:: ACTS && CAN_hostStarting(mem) && bounded && gate && !helper -> fire(TO_hostStarting)
#endif
	:: ACTS && CAN_hostStarted(mem) && gate -> fire(TO_hostStarted)
#ifdef GATEFIRST
	:: atomic { ACTS && mem == HOST_STARTING && gate && !opened -> MUST(4, I4); opened = true }
#endif
	:: atomic { ACTS && mem == HOST_ACTIVE && !frozen && settled == disk && gate && !opened -> MUST(4, I4); opened = true }
#ifdef HELPERS
	:: atomic { ACTS && bounded && !note && CAN_cleanupComplete(mem) && mem != HOST_STARTING && !frozen && !helper -> helper = true }
#endif
#ifdef UNBOUNDED
	:: atomic { ACTS && !bounded && mem == PARENT_OWNED && !frozen && !helper -> helper = true }
#endif
#ifdef EARLYWORD
	:: ACTS && CAN_cleanupComplete(mem) && !gate && !helper -> fire(TO_cleanupComplete)
#endif
	:: ACTS && CAN_cleanupComplete(mem) && !gate && !helper && (!opened || note) -> fire(TO_cleanupComplete)
	:: ACTS && CAN_cleanupUnsafe(mem) -> fire(TO_cleanupUnsafe)
	:: ACTS && CAN_release(mem) -> atomic { ACTS && disk == mem -> MUST(2, I2) }; fire(TO_release)
	:: atomic { ACTS && frozen && CATALOGUE -> resync() }
	:: atomic { ACTS && settled != disk && !frozen && LEASE(mem) && CATALOGUE -> settled = disk } /* Resync after ErrNotDurable */
	od
}

active proctype World() {
	do
	/* The gate: one byte opens it, the end of its owner does not. */
	:: atomic { gate && opened && !started -> MUST(4, disk == HOST_ACTIVE || disk == CLEANUP_UNSAFE); started = true; plugin = true }
#ifdef EOFOPENS
	:: atomic { gate && !ACTS && !started -> MUST(4, I4); started = true; plugin = true }
#endif
	:: atomic { gate && !note && EMPTY && (started || !ACTS && !opened) -> note = true }
	:: atomic { gate && note -> gate = false }
	:: atomic { gate && !opened && spawned -> gate = false }  /* dismissed, or killed */
	:: atomic { gate && opened -> gate = false }              /* killed: what it held may live on */
	:: atomic { plugin -> plugin = false }
	:: atomic { helper -> helper = false }
	/* Accidents. */
	:: atomic { owner && disk != ABSENT -> owner = false; holds = false }
#ifdef LETGO
	:: atomic { owner && holds && disk != ABSENT -> holds = false }
#endif
#ifdef LOST
	:: atomic { late != ABSENT && CATALOGUE -> if :: disk == lateFrom -> publish(late) :: else fi; late = ABSENT; lateFrom = ABSENT }
#endif
#ifdef PIDREUSE
	:: atomic { !owner && !ownerNumber && !rebooted -> ownerNumber = true }
	:: atomic { spawned && !gate && !hostNumber && !rebooted -> hostNumber = true }
#endif
	:: atomic { !rebooted && disk != ABSENT -> rebooted = true;
		owner = false; holds = false; gate = false; plugin = false; helper = false;
		catalogue = NOBODY; seized = false; late = ABSENT; lateFrom = ABSENT; busy = false; want = ABSENT;
		if :: disk = settled :: skip fi }
	od
}

/* Where a judge stands. */
#define HERE 0            /* in the owner's namespace, with the evidence */
#define ELSEWHERE 1       /* in another namespace, with the evidence */
#define HERE_BLIND 2      /* in the owner's namespace, the evidence missing or torn */
#define ELSEWHERE_BLIND 3
#define PLACE(v)    ((v) == HERE -> PLACE_SAME : ((v) == ELSEWHERE -> PLACE_OTHER : PLACE_UNKNOWN))
#define EVIDENCE(v) ((v) == HERE || (v) == ELSEWHERE)
#define FAR(v)      ((v) == ELSEWHERE || (v) == ELSEWHERE_BLIND)

inline stand(v) {
#ifdef VIEWS
	if :: v = HERE :: v = ELSEWHERE :: v = HERE_BLIND :: v = ELSEWHERE_BLIND fi
#else
	v = HERE
#endif
}

/* What an inspector may say of one process. Strangers under its number never match its start, unless only numbers count. */
inline inspect(v, alive, taken, answer) {
	if
	:: alive && !FAR(v) -> answer = LIVE
	:: !alive && !taken -> answer = DEAD
#ifdef PIDONLY
	:: !alive && taken -> answer = LIVE
#else
	:: !alive && taken -> answer = DEAD
#endif
	:: alive && FAR(v) -> answer = DEAD
#ifdef VIEWS
	:: answer = UNKNOWN
#endif
	fi
}

#ifdef ORIGINAL
#define REMOVES(l, v, o, h, s, n) ORIGINAL_REMOVES(l, !rebooted, PLACE(v), EVIDENCE(v), o, s, recorded, h, bounded, n)
#define ADMITS(l, v, o, h, s, n)  ORIGINAL_ADMITS(l, !rebooted, PLACE(v), EVIDENCE(v), o, s, recorded, h, bounded, n)
#else
#define REMOVES(l, v, o, h, s, n) STRICT_REMOVES(l, !rebooted, PLACE(v), EVIDENCE(v), o, s, recorded, h, (bounded && EVIDENCE(v)), n)
#ifdef ADMITORPHAN
#define ADMITS(l, v, o, h, s, n)  (STRICT_ADMITS(l, !rebooted, PLACE(v), EVIDENCE(v), o, s, recorded, h, (bounded && EVIDENCE(v)), n) || o == DEAD && h == LIVE)
#else
#define ADMITS(l, v, o, h, s, n)  STRICT_ADMITS(l, !rebooted, PLACE(v), EVIDENCE(v), o, s, recorded, h, (bounded && EVIDENCE(v)), n)
#endif
#endif

active proctype Doctor() {
	mtype s, o, h; byte v;
begin:
	atomic { CATALOGUE && LEASE(disk) -> catalogue = DOCTOR;
#ifndef ORIGINAL
		if
		:: holds -> catalogue = NOBODY; goto begin /* somebody's: not ours to judge */
		:: !holds -> seized = true
		fi;
#endif
		s = disk; stand(v) }
	if :: atomic { catalogue == DOCTOR -> inspect(v, owner, ownerNumber, o) } :: goto give_up fi;
	if :: atomic { catalogue == DOCTOR -> inspect(v, gate, hostNumber, h) } :: goto give_up fi;
	atomic {
		if
		:: catalogue == DOCTOR && REMOVES(FREE, v, o, h, s, (note && bounded && EVIDENCE(v))) -> MUST(2, I2); publish(RELEASED);
#ifdef HOLDON
		:: catalogue == DOCTOR && !REMOVES(FREE, v, o, h, s, (note && bounded && EVIDENCE(v))) -> catalogue = NOBODY
#endif
		:: else
		fi }
give_up:
	atomic { s = ABSENT; o = 0; h = 0; v = 0;
		if :: catalogue == DOCTOR -> catalogue = NOBODY :: else fi;
		seized = false; settled = (disk == RELEASED -> disk : settled); goto begin }
}

active proctype Acquirer() {
	mtype l, s, o, h; byte v; bool seen;
begin:
	atomic { CATALOGUE && mem != ABSENT -> catalogue = ACQUIRER; s = disk; stand(v);
		l = (holds || seized -> HELD : FREE); seen = holds;
#ifdef VIEWS
		if :: l = LOCK_UNKNOWN :: skip fi
#endif
	}
	if :: atomic { catalogue == ACQUIRER -> inspect(v, owner, ownerNumber, o);
#ifdef ORIGINAL
		seen = owner
#endif
	   } :: goto give_up fi;
	if :: atomic { catalogue == ACQUIRER -> inspect(v, gate, hostNumber, h) } :: goto give_up fi;
	atomic {
		if
		:: catalogue == ACQUIRER && !LEASE(s) -> MUST(1, I1(false))
		:: catalogue == ACQUIRER && LEASE(s) && ADMITS(l, v, o, h, s, (note && bounded && EVIDENCE(v))) -> MUST(1, I1(seen))
		:: else
		fi }
give_up:
	atomic { l = 0; s = ABSENT; o = 0; h = 0; v = 0; seen = false;
		if :: catalogue == ACQUIRER -> catalogue = NOBODY :: else fi; goto begin }
}

/* Watches what has to hold at every moment. It never moves, and so adds no states. */
active proctype Watch() {
	if
	:: atomic { !(I3) -> MUST(3, I3) }
	:: atomic { !(I5) -> MUST(5, I5) }
	:: atomic { !(I6) -> MUST(6, I6) }
	fi
}
