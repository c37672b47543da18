/* What the C programs of bench/ share: random streams, counters, the play loop, reading a match, the clock.
 *
 * A game's file includes this first and defines what is only declared here, and `bot_named`, `pairs`, `make_tables`.
 * layout.h is written by simlab/benchmark.py out of the game's own dtypes and ledger: the records State, Knobs, Cards
 * and Row, the numbers of the streams (STREAM_*) and of the rules, SEATS, MAX_DECISIONS and MAX_TRAITS.
 *
 *   GAME MATCH BOT... SEED FIRST COUNT [ROWS]
 *   GAME pairs
 *
 * MATCH is a file of Knobs, Cards and double[SEATS][MAX_TRAITS]; benchmark.py writes it too. One BOT for each seat.
 * With ROWS, the rows of all games and then how often each rule fired (uint64_t each) go to that file. Prints one line:
 * games, checksum, seconds of processor time that the loop took. `pairs` prints the bots worth measuring together, one
 * set a line.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "layout.h"

typedef int Bot(State *state, const Knobs *knobs, const Cards *cards, const double *traits);
typedef struct { const char *name; Bot *bot; } Known;

static void initial_state(State *state, const Knobs *knobs, const Cards *cards);
static void legal_actions(State *state, const Knobs *knobs, const Cards *cards);
static void apply_action(State *state, const Knobs *knobs, const Cards *cards, int action);
static void outcome(const State *state, const Knobs *knobs, const Cards *cards, Row *row);
static Bot *bot_named(const char *name); /* or NULL */
static const char *pairs(void);          /* seats' bots, a line each set */
static void make_tables(void);

/* --- Streams: simlab/engine/streams.py ------------------------------------- */

/* Four blocks of a stream from block `first` on: side by side, they fill the processor's vector unit. */
static void refill(State *state, int stream, uint32_t first)
{
    uint64_t c0[4], c1[4], c2[4], c3[4];
    uint32_t purpose = (uint32_t)stream;
    uint32_t k0 = state->stream_key[0], k1 = state->stream_key[1];
    purpose += state->stream_epoch[stream] << 8;
    for (uint32_t i = 0; i < 4; i++) {
        c0[i] = first + i;
        c1[i] = purpose;
        c2[i] = state->stream_game[0];
        c3[i] = state->stream_game[1];
    }
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 4; i++) {
            uint64_t p0 = (uint64_t)0xD2511F53 * (uint32_t)c0[i];
            uint64_t p1 = (uint64_t)0xCD9E8D57 * (uint32_t)c2[i];
            c0[i] = (p1 >> 32) ^ c1[i] ^ k0;
            c1[i] = (uint32_t)p1;
            c2[i] = (p0 >> 32) ^ c3[i] ^ k1;
            c3[i] = (uint32_t)p0;
        }
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    for (int i = 0; i < 4; i++) {
        state->stream_words[stream][4 * i] = (uint32_t)c0[i];
        state->stream_words[stream][4 * i + 1] = (uint32_t)c1[i];
        state->stream_words[stream][4 * i + 2] = (uint32_t)c2[i];
        state->stream_words[stream][4 * i + 3] = (uint32_t)c3[i];
    }
}

static void open_streams(State *state, int64_t game)
{
    state->stream_game[0] = (uint32_t)game;
    state->stream_game[1] = (uint32_t)((uint64_t)game >> 32);
}

static uint32_t word(State *state, int stream)
{
    uint32_t at = state->stream_at[stream];
    if ((at & 15) == 0)
        refill(state, stream, at >> 2);
    state->stream_at[stream] = at + 1;
    return state->stream_words[stream][at & 15];
}

static int forced(State *state, int i)
{
    int value = state->forced_value[i];
    state->forced_n--;
    for (int k = i; k < state->forced_n; k++) {
        state->forced_stream[k] = state->forced_stream[k + 1];
        state->forced_value[k] = state->forced_value[k + 1];
    }
    return value;
}

static int below(State *state, int stream, int n)
{
    if (state->forced_n > 0)
        for (int i = 0; i < state->forced_n; i++)
            if (state->forced_stream[i] == stream)
                return forced(state, i);
    uint32_t bound = (uint32_t)n;
    uint64_t product = (uint64_t)word(state, stream) * bound;
    if ((uint32_t)product < bound) {
        uint32_t lowest = -bound % bound;
        while ((uint32_t)product < lowest)
            product = (uint64_t)word(state, stream) * bound;
    }
    return (int)(product >> 32);
}

static void offer(State *state, int action)
{
    state->legal[state->n_legal] = (int16_t)action;
    state->n_legal++;
}

static void count_rule(State *state, int rule) { state->fired[rule]++; }

/* --- Bots: policies/common.py ------------------------------------------------ */

static int random_legal(State *state, const Knobs *knobs, const Cards *cards, const double *traits)
{
    (void)knobs, (void)cards, (void)traits;
    return state->legal[below(state, state->seat, state->n_legal)];
}

static Bot *find_bot(const Known *known, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, known[i].name) == 0)
            return known[i].bot;
    return NULL;
}

/* --- The play loop: simlab/engine/loop.py, the bare one --------------------- */

enum { FINE, ILLEGAL, CAPPED, STUCK };

static int play_games(State *state, const State *blank, const Knobs *knobs, const Cards *cards, Bot *const *policies,
                      double (*traits)[MAX_TRAITS], int64_t first, int64_t count, Row *rows, int64_t *progress,
                      uint64_t *fired)
{
    for (int64_t i = 0; i < count; i++) {
        progress[0] = first + i;
        *state = *blank;
        open_streams(state, first + i);
        initial_state(state, knobs, cards);
        int decisions = 0;
        while (!state->over) {
            state->n_legal = 0;
            legal_actions(state, knobs, cards);
            if (state->n_legal == 0)
                return STUCK;
            int seat = state->seat;
            int action = policies[seat](state, knobs, cards, traits[seat]);
            bool legal = false;
            for (int a = 0; a < state->n_legal; a++)
                legal |= state->legal[a] == action; /* no branch: it would be mispredicted */
            if (!legal) {
                progress[1] = action;
                return ILLEGAL;
            }
            apply_action(state, knobs, cards, action);
            decisions++;
            if (decisions >= MAX_DECISIONS && !state->over)
                return CAPPED;
        }
        rows[i].game = first + i;
        rows[i].decisions = decisions;
        outcome(state, knobs, cards, &rows[i]);
        if (fired)
            for (int rule = 0; rule < RULES; rule++)
                fired[rule] += state->fired[rule];
        progress[3]++;
    }
    return FINE;
}

/* simlab.benchmark.checksum is the same: the fields of a game stirred one by one, the games summed. */
static uint64_t checksum(const Row *rows, int64_t count)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t fields[] = {ROW_FIELDS(rows[i])};
        uint64_t mixed = 0;
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
            mixed = (mixed ^ (uint64_t)fields[k]) * 0x9E3779B97F4A7C15u;
            mixed ^= mixed >> 32;
        }
        sum += mixed;
    }
    return sum;
}

static void *zeroed(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "not enough memory for the rows\n");
        exit(4);
    }
    return memory;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int number, char **words)
{
    if (number == 2 && strcmp(words[1], "pairs") == 0) {
        puts(pairs());
        return 0;
    }
    if (number != SEATS + 5 && number != SEATS + 6) {
        fprintf(stderr, "usage: %s MATCH BOT... SEED FIRST COUNT [ROWS], %d bots\n", words[0], SEATS);
        return 2;
    }
    /* On the heap, as the lab's records are: static ones would let the compiler write their addresses into the code. */
    Knobs *knobs = zeroed(1, sizeof *knobs);
    Cards *cards = zeroed(1, sizeof *cards);
    State *work = zeroed(1, sizeof *work), *blank = zeroed(1, sizeof *blank);
    double (*traits)[MAX_TRAITS] = zeroed(SEATS, sizeof *traits);
    uint64_t *fired = zeroed(RULES, sizeof *fired);
    int64_t *progress = zeroed(4, sizeof *progress);
    FILE *match = fopen(words[1], "rb");
    if (!match || fread(knobs, sizeof *knobs, 1, match) != 1 || fread(cards, sizeof *cards, 1, match) != 1
        || fread(traits, sizeof *traits, SEATS, match) != SEATS) {
        fprintf(stderr, "%s: cannot be read as a match\n", words[1]);
        return 2;
    }
    fclose(match);
    Bot *policies[SEATS];
    for (int seat = 0; seat < SEATS; seat++) {
        policies[seat] = bot_named(words[2 + seat]);
        if (!policies[seat]) {
            fprintf(stderr, "the C program has no bot '%s'\n", words[2 + seat]);
            return 2;
        }
    }
    char **rest = words + 2 + SEATS;
    uint64_t seed = strtoull(rest[0], NULL, 10);
    int64_t first = strtoll(rest[1], NULL, 10), count = strtoll(rest[2], NULL, 10);
    bool keep = number == SEATS + 6;
    blank->stream_key[0] = (uint32_t)seed;
    blank->stream_key[1] = (uint32_t)(seed >> 32);
    blank->stream_seats = SEATS;
    make_tables();

    Row *rows = zeroed((size_t)count, sizeof *rows);
    double began = seconds();
    int status = play_games(work, blank, knobs, cards, policies, traits, first, count, rows, progress,
                            keep ? fired : NULL);
    double spent = seconds() - began;
    if (status != FINE) {
        fprintf(stderr, "game %" PRId64 " cannot go on: status %d\n", progress[0], status);
        return 4;
    }
    if (keep) {
        FILE *out = fopen(rest[3], "wb");
        if (!out || fwrite(rows, sizeof *rows, (size_t)count, out) != (size_t)count
            || fwrite(fired, sizeof *fired, RULES, out) != RULES || fclose(out) != 0) {
            fprintf(stderr, "%s: cannot be written\n", rest[3]);
            return 4;
        }
    }
    printf("%" PRId64 " %" PRIu64 " %.6f\n", count, checksum(rows, count), spent);
    return 0;
}
