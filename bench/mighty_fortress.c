/* A Mighty Fortress Is Our God in C: the same program as simlab/games/mighty_fortress, function by function, to measure
 * the compiled Python against. Same records, same Philox streams, same rule counters, same bots, so that every game
 * comes out the same, bit for bit. What each rule means stands there; here only its ID.
 */

#include "lab.h"

enum { PYRRHIC = 5, RELIEF = 9 };
enum { WHITE, YELLOW, RED, BLUE, PURPLE, BLACK };
enum { CLASSES = 36 };
enum { EXHAUSTED = 36 };
enum { ALL_CLASSES = 42 };
enum { PIPS = 63 };
enum { COLOURED = 1073741823 };
static const int64_t BLACKS = INT64_C(67645734912);
enum { SLOTS = 6 };
enum { MAX_OUTSIDERS = 48, MAX_CITIES = 8, MAX_ELDERS = 12, MAX_FATE = 60, MAX_TAGS = 8 };
enum { CITY = 48 };
enum { DECK = 56 };
enum { EMPTY = -1 };
enum { SPACES = 4 };
enum { OFF_TRACK = -1 };
enum { OPEN, SEATED, EXECUTED };
enum { IN_DECK, IN_QUEUE, DISCARDED, REMOVED, IN_TABLEAU, ON_TRACK };
enum { ACTION, DIE, COMMIT, CASUALTY, UNFED, CHOICE, PICK, REPLACE, HOLD };
enum { END_PHASE, RATION, PATROL, COUNTER_ENTRENCHMENT, COUNTER_BOMBARDMENT, DECONSTRUCT };
enum { EXECUTE_FOR_UNREST = 6, EXECUTE_FOR_PRESSURE };
enum { EXECUTE_ELDER = 8, ACTIVATE = 11 };
enum { SEAT = 14 };
enum { CONVERT = 26, NEGOTIATE = 32, RAID = 38, MOVE = 44 };
enum { ADVANCE = 50 };
enum { EXECUTE_OUTSIDER = 58 };
enum { EXECUTE_FIFTH = 106 };
enum { ACTIVATE_FIFTH = 107 };
enum { STARVE_NO_MORE = 42 };
enum { STOP_HOLDING = 36 };
enum { BOTH = 3 };
enum { ABOUT_ACTION, ABOUT_PURGE, ABOUT_CASUALTY, ABOUT_CARD_COST };
enum { ABOUT_CHOOSE = 4, ABOUT_PAY, ABOUT_TAG, ABOUT_PURGE_TRACK, ABOUT_CITY, ABOUT_RECOVER };
enum {
    FATE_STEP, UPKEEP_STEP, STARVE_STEP, HUNGER_STEP, DRAW_STEP, DECREE_STEP, ACTION_STEP, NEGOTIATED_STEP,
    RAIDED_STEP, SIEGE_STEP, TRAITOR_STEP, CLEANUP_STEP, HOLD_STEP, QUEUE_STEP
};
enum { FATE_PHASE, UPKEEP_PHASE, DRAW_PHASE, DECREE_PHASE, ACTION_PHASE, SIEGE_PHASE, TRAITOR_PHASE, CLEANUP_PHASE };
enum { BY_BOMBARDMENT = 1, BY_UNREST, BY_TRAITOR, BY_CARD };
enum {
    UPKEEP_AB, RATION_AB, DRAW_AB, HOLD_AB, PATROL_AB, DECONSTRUCT_AB, COUNTER_COST_AB, RAID_ROLL_AB,
    RAID_FOOD_AB, NEGOTIATE_COST_AB, NEGOTIATE_INFLUENCE_AB, CONVERT_POWER_AB, DISPATCH_POWER_AB, REACH_AB,
    ASSAULT_AB, REQUIREMENT_AB, BLACK_GRACE_AB, EXECUTE_BONUS_AB
};
enum {
    FOOD, MATERIALS, LUXURIES, PIETY, INFLUENCE, COHESION, DEFENSE, ENTRENCHMENT, BOMBARDMENT, CONSUMPTION,
    UNREST, PRESSURE, VP, SIEGE_STRENGTH, REQUIREMENT, TURN
};
enum { MOST_VP = 99 };
enum {
    END, GAIN, REWARD_FOOD, SUPPORT_UP, SUPPORT_DOWN, CASUALTY_OP, RECOVER_OP, ASSAULT_OP, REQUIREMENT_OP,
    COUNTER_COST_OP, RAID_ROLL_OP, PURGE_OP, PURGE_TRACK_OP, HERALD_OP, PAY_OP, CHOOSE_OP, JUMP, IF_LESS,
    IF_AT_MOST, IF_EQUAL, IF_AT_LEAST, IF_MORE
};
enum { TRACK_OPERAND = 100 };
static const int64_t PURSE_BITS = INT64_C(551911719040);
static const int64_t STARVE_NO_MORE_BIT = INT64_C(4398046511104);
static const int64_t STOP_HOLDING_BIT = INT64_C(68719476736);
enum { QUEUE = 63 };
enum {
    HIGHEST, LOWEST, MOST_MATERIALS, YELLOW_FIRST, TO_EXECUTE, RED_FIRST, PURPLE_FIRST, YELLOW_SECOND,
    BLUE_FIRST, FILL, TO_LOSE, TO_STARVE
};
enum { USUAL, OF_APOSTLE, OF_PURGER };
enum { FOR_FOOD, FOR_STRENGTH, FOR_CALM, FOR_ANYTHING };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t greatest(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t bit(int place) { return (int64_t)1 << place; }
static int lowest_place(int64_t mask) { return __builtin_ctzll((uint64_t)mask); }

/* --- Tables ------------------------------------------------------------------ */

static int64_t AT_LEAST[15], SLOTS_OF_PIPS[64], SLOTS_OF_RED[64];
static int64_t LIKED[12][ALL_CLASSES + 1], LEAST_LIKED, LOWEST_PIP[64], HIGHEST_PIP[64];
static const int64_t EVERY_SPACE[] = {7, 15};
static const double ABILITY_WORTH[] = {
    2.0, 1.5, 2.0, 0.5, 0.7, 0.8, 0.7, 0.3, 1.0, 0.6, 0.8, 3.0, 0.6, 0.8, 0.5, 0.3, 0.2, 0.3,
};
static const double WEIGHTS[16][3][3] = {
    [FOOD] = {{0.5, 0.3, 0.05}, {0.5, 0.3, 0.05}, {0.5, 0.3, 0.05}},
    [MATERIALS] = {{0.35, 0.1, 0.1}, {0.35, 0.1, 0.1}, {0.35, 0.1, 0.1}},
    [LUXURIES] = {{0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}},
    [PIETY] = {{0.6, 0.6, 0.6}, {1.0, 1.0, 1.0}, {0.6, 0.6, 0.6}},
    [INFLUENCE] = {{0.6, 0.6, 0.6}, {1.0, 1.0, 1.0}, {1.0, 1.0, 1.0}},
    [COHESION] = {{1.2, 1.2, 1.2}, {2.0, 2.0, 2.0}, {1.2, 1.2, 1.2}},
    [DEFENSE] = {{1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}},
    [ENTRENCHMENT] = {{-0.8, -0.8, -0.8}, {-0.8, -0.8, -0.8}, {-0.8, -0.8, -0.8}},
    [BOMBARDMENT] = {{-0.5, -0.5, -0.5}, {-0.5, -0.5, -0.5}, {-0.5, -0.5, -0.5}},
    [CONSUMPTION] = {{-2.5, -2.5, -2.5}, {-2.5, -2.5, -2.5}, {-2.5, -2.5, -2.5}},
    [UNREST] = {{-0.6, -1.2, -1.2}, {-0.6, -1.2, -1.2}, {-0.6, -1.2, -1.2}},
    [PRESSURE] = {{-0.6, -0.6, -0.6}, {-0.6, -0.6, -0.6}, {0.2, 0.2, 0.2}},
    [VP] = {{1.0, 1.0, 1.0}, {1.0, 1.0, 1.0}, {1.0, 1.0, 1.0}},
    [SIEGE_STRENGTH] = {{1.0, 1.0, 1.0}, {1.0, 1.0, 1.0}, {1.0, 1.0, 1.0}},
    [REQUIREMENT] = {{1.0, 1.0, 1.0}, {1.0, 1.0, 1.0}, {1.0, 1.0, 1.0}},
    [TURN] = {{1.0, 1.0, 1.0}, {1.0, 1.0, 1.0}, {1.0, 1.0, 1.0}},
};

static int rank(int manner, int die)
{
    static const int usual_of[] = {0, 1, 2, 4, 3, 9}, materials_of[] = {0, 100, 0, -200, 70, -50000};
    static const int execute_of[] = {1, 2, 3, 5, 4, 0};
    if (die == ALL_CLASSES)
        return -100000;
    bool exhausted = die >= EXHAUSTED;
    int colour = exhausted ? die - EXHAUSTED : die / 6, pip = exhausted ? 0 : die % 6 + 1;
    int usual = usual_of[colour], black = colour == BLACK ? 50000 : 0;
    int work = -100 * pip - usual - black;
    switch (manner) {
    case HIGHEST: return 100 * pip - usual - black;
    case MOST_MATERIALS: return 100 * pip + materials_of[colour] - usual;
    case YELLOW_FIRST: return work + 1000 * (colour == YELLOW);
    case TO_EXECUTE: return -1000 * execute_of[colour] - pip;
    case RED_FIRST: return work + 1000 * (colour == RED);
    case PURPLE_FIRST: return work + 1000 * (colour == PURPLE);
    case YELLOW_SECOND: return work + 2000 * (colour == PURPLE) + 1000 * (colour == YELLOW);
    case BLUE_FIRST: return -1000 * usual - pip + 50000 * (colour == BLUE);
    case FILL: return -1000 * usual - pip;
    case TO_LOSE: return 20000 * exhausted - 1000 * usual - pip + (exhausted && colour == BLACK ? 15000 : 0);
    case TO_STARVE: return 20000 * exhausted - 100 * pip - usual;
    default: return work;
    }
}

static void make_tables(void)
{
    for (int least_pip = 0; least_pip < 7; least_pip++)
        for (int die = 0; die < CLASSES; die++)
            AT_LEAST[least_pip] |= (int64_t)(die % 6 + 1 >= least_pip) << die;
    for (int pips = 1; pips < 64; pips++) {
        LOWEST_PIP[pips] = lowest_place(pips) + 1;
        while (pips >> HIGHEST_PIP[pips])
            HIGHEST_PIP[pips]++;
        SLOTS_OF_PIPS[pips] = (1 << HIGHEST_PIP[pips]) - 1;
        SLOTS_OF_RED[pips] = ((2 << HIGHEST_PIP[pips]) - 1) & 63;
    }
    for (int manner = 0; manner < 12; manner++)
        for (int die = 0; die <= ALL_CLASSES; die++) {
            LIKED[manner][die] = 64 * rank(manner, die) + 63 - die;
            LEAST_LIKED = least(LEAST_LIKED, LIKED[manner][die] - 1);
        }
}

/* --- Tracks, Assault Checks, the end: tracks.py --------------------------- */

static int clamped(State *state, int value, int most)
{
    if (value > most) {
        count_rule(state, MF_GEN_01);
        return most;
    }
    if (value < 0) {
        count_rule(state, MF_GEN_01);
        return 0;
    }
    return value;
}

static void finish(State *state, int ending)
{
    count_rule(state, MF_GEN_04);
    state->over = true;
    state->asking = false;
    state->ending = ending;
}

static void assault_check(State *state, const Knobs *knobs, int cause, int modifier)
{
    if (state->over)
        return;
    count_rule(state, MF_ASL_01);
    if (state->phase == DECREE_PHASE)
        count_rule(state, MF_DEC_02);
    else if (state->phase == FATE_PHASE && cause == BY_CARD)
        count_rule(state, MF_FAT_03);
    state->window_assault = state->phase == SIEGE_PHASE || state->phase == TRAITOR_PHASE;
    state->assaults[cause]++;
    int roll = 1 + below(state, STREAM_ASSAULT, 12);
    int total = roll + state->defense - state->siege_strength + modifier + state->ability[ASSAULT_AB];
    state->assault_roll = roll;
    state->assault_total = total;
    state->assault_cause = cause;
    state->assault_turn = state->turn;
    if (total <= knobs->breach_max) {
        count_rule(state, MF_END_01);
        finish(state, cause);
        return;
    }
    count_rule(state, MF_ASL_08);
    if (total > knobs->strong_repel_max)
        state->cohesion = clamped(state, state->cohesion + 1, 5);
    else if (total > knobs->repel_max)
        state->entrenchment = clamped(state, state->entrenchment - 1, 5);
}

static void triggered_assault(State *state, const Knobs *knobs, int cause)
{
    count_rule(state, MF_ASL_02);
    if (state->pc != 0)
        count_rule(state, MF_GEN_02);
    if (state->phase == SIEGE_PHASE || (state->phase == TRAITOR_PHASE && knobs->one_assault_scope == 0)) {
        if (state->window_assault) {
            count_rule(state, MF_ASL_06);
            return;
        }
    } else {
        count_rule(state, MF_ASL_07);
    }
    assault_check(state, knobs, cause, 0);
}

static void gain_unrest(State *state, const Knobs *knobs, int n)
{
    int before = state->unrest;
    state->unrest = clamped(state, before + n, 10);
    bool reached = before < 10 && state->unrest == 10;
    if (reached || (n > 0 && before == 10 && knobs->unrest_ten_mode == 1)) {
        count_rule(state, MF_TRK_07);
        triggered_assault(state, knobs, BY_UNREST);
    }
}

static void gain_bombardment(State *state, const Knobs *knobs, int n)
{
    int before = state->bombardment;
    state->bombardment = clamped(state, before + n, 5);
    if (state->bombardment < 5 || n <= 0)
        return;
    count_rule(state, MF_TRK_08);
    int scope = knobs->bombardment_gate_scope;
    bool gated = state->phase == SIEGE_PHASE || scope == 2;
    if (state->phase == TRAITOR_PHASE && scope == 0) {
        count_rule(state, MF_ASL_05);
        gated = true;
    }
    if (state->phase == SIEGE_PHASE)
        count_rule(state, MF_ASL_04);
    else if (!gated)
        count_rule(state, MF_ASL_03);
    if (gated && state->siege_strength <= state->defense) {
        state->bombardment = 4;
        return;
    }
    triggered_assault(state, knobs, BY_BOMBARDMENT);
    state->bombardment = 0;
}

static void gain(State *state, const Knobs *knobs, int what, int n)
{
    if (what == FOOD) {
        state->food = clamped(state, state->food + n, knobs->food_max);
    } else if (what == MATERIALS) {
        state->materials = clamped(state, state->materials + n, knobs->materials_max);
    } else if (what == LUXURIES) {
        state->luxuries = clamped(state, state->luxuries + n, knobs->luxuries_max);
    } else if (what == UNREST) {
        gain_unrest(state, knobs, n);
    } else if (what == BOMBARDMENT) {
        gain_bombardment(state, knobs, n);
    } else if (what == COHESION) {
        state->cohesion = clamped(state, state->cohesion + n, 5);
    } else if (what == DEFENSE) {
        state->defense = clamped(state, state->defense + n, 5);
    } else if (what == PRESSURE) {
        state->pressure = clamped(state, state->pressure + n, 5);
    } else if (what == PIETY) {
        state->piety = clamped(state, state->piety + n, 10);
        state->piety_reached = state->piety_reached || state->piety == 10;
    } else if (what == INFLUENCE) {
        state->influence = clamped(state, state->influence + n, 10);
        state->influence_reached = state->influence_reached || state->influence == 10;
    } else if (what == ENTRENCHMENT) {
        state->entrenchment = clamped(state, state->entrenchment + n, 5);
    } else if (what == CONSUMPTION) {
        state->consumption = clamped(state, state->consumption + n, 5);
    } else if (what == VP) {
        state->vp = clamped(state, state->vp + n, MOST_VP);
    }
}

static void gain_as_said(State *state, const Knobs *knobs, int what, int n)
{
    gain(state, knobs, what, n);
}

static int read_track(const State *state, int what)
{
    int value = 0;
    if (what == FOOD)
        value = state->food;
    else if (what == MATERIALS)
        value = state->materials;
    else if (what == LUXURIES)
        value = state->luxuries;
    else if (what == PIETY)
        value = state->piety;
    else if (what == INFLUENCE)
        value = state->influence;
    else if (what == COHESION)
        value = state->cohesion;
    else if (what == DEFENSE)
        value = state->defense;
    else if (what == ENTRENCHMENT)
        value = state->entrenchment;
    else if (what == BOMBARDMENT)
        value = state->bombardment;
    else if (what == CONSUMPTION)
        value = state->consumption;
    else if (what == UNREST)
        value = state->unrest;
    else if (what == PRESSURE)
        value = state->pressure;
    else if (what == VP)
        value = state->vp;
    else if (what == SIEGE_STRENGTH)
        value = state->siege_strength;
    else if (what == REQUIREMENT)
        value = state->requirement;
    else if (what == TURN)
        value = state->turn;
    return value;
}

static void measure_strength(State *state, const Cards *cards)
{
    count_rule(state, MF_TRK_01);
    int total = 0;
    for (int slot = 0; slot < SLOTS; slot++) {
        int card = state->queue[slot];
        total += (card != EMPTY) * cards->rating[greatest(card, 0)];
    }
    state->siege_strength = least(total, 5);
}

static void refresh_requirement(State *state)
{
    int need = state->requirement_base + state->requirement_mod + state->ability[REQUIREMENT_AB];
    state->requirement = greatest(least(need, least(state->black_drawn, 5)), 1);
}

static void check_relief(State *state, const Knobs *knobs)
{
    int won = 0;
    for (int city = 0; city < MAX_CITIES; city++)
        won += state->support[city] >= knobs->support_goal;
    if (won >= knobs->cities_needed) {
        count_rule(state, MF_END_02);
        count_rule(state, MF_DSP_06);
        finish(state, RELIEF);
    }
}

static void survive(State *state)
{
    count_rule(state, MF_END_03);
    finish(state, PYRRHIC);
}

/* --- Dice: dice.py -------------------------------------------------------- */

static int colour_of(int die)
{
    return (unsigned)die / (unsigned)6;
}

static int pip_of(int die)
{
    return ((unsigned)die % (unsigned)6) + 1;
}

static void ask(State *state, int kind, int about, int64_t options)
{
    state->asking = true;
    state->decision = kind;
    state->about = about;
    state->options = options;
}

static void put_available(State *state, int die)
{
    state->avail[die]++;
    state->avail_mask |= bit(die);
    state->avail_of[colour_of(die)]++;
}

static void take_available(State *state, int die)
{
    state->avail[die]--;
    if (state->avail[die] == 0)
        state->avail_mask &= ~bit(die);
    state->avail_of[colour_of(die)]--;
    if (state->held[die] > state->avail[die]) {
        state->held[die]--;
        state->held_count--;
    }
}

static void exhaust(State *state, int die)
{
    take_available(state, die);
    state->exhausted[colour_of(die)]++;
}

static int coloured_available(const State *state)
{
    return state->avail_of[0] + state->avail_of[1] + state->avail_of[2] + state->avail_of[3] + state->avail_of[4];
}

static int64_t exhausted_mask(const State *state, int colours)
{
    int64_t mask = 0;
    for (int colour = 0; colour < colours; colour++)
        mask |= (int64_t)(state->exhausted[colour] > 0) << (EXHAUSTED + colour);
    return mask;
}

static void work(State *state, const Knobs *knobs, int die)
{
    count_rule(state, MF_ACT_02);
    exhaust(state, die);
    int colour = colour_of(die);
    state->dice_used[colour]++;
    if (colour != BLACK)
        return;
    state->black_worked++;
    state->black_work++;
    if (state->black_work > state->ability[BLACK_GRACE_AB]) {
        count_rule(state, MF_DIE_09);
        gain_unrest(state, knobs, 1);
    }
}

static int remove_die(State *state, int die)
{
    int colour;
    if (die >= EXHAUSTED) {
        colour = die - EXHAUSTED;
        state->exhausted[colour]--;
    } else {
        colour = colour_of(die);
        take_available(state, die);
    }
    if (colour == BLACK) {
        state->black_dead++;
    } else {
        count_rule(state, MF_CAS_04);
        state->lost[colour]++;
    }
    return colour;
}

static void demand_casualty(State *state, const Knobs *knobs)
{
    int64_t options = state->avail_mask | exhausted_mask(state, 6);
    if (options != 0) {
        ask(state, CASUALTY, ABOUT_CASUALTY, options);
        return;
    }
    count_rule(state, MF_CAS_03);
    state->casualties--;
    gain_unrest(state, knobs, 1);
}

static void take_casualty(State *state, int die)
{
    count_rule(state, MF_CAS_01);
    state->casualties--;
    state->casualties_taken++;
    if (remove_die(state, die) == BLACK)
        count_rule(state, MF_CAS_02);
}

static void demand_recovery(State *state)
{
    int64_t options = 0;
    for (int colour = 0; colour < 5; colour++)
        options |= (int64_t)(state->lost[colour] > 0) << colour;
    if (options != 0)
        ask(state, PICK, ABOUT_RECOVER, options);
    else
        state->recoveries = 0;
}

static void put_in_bag(State *state, int colour)
{
    state->bag[colour]++;
    state->bag_count++;
}

static void recover_die(State *state, int colour)
{
    state->recoveries--;
    state->recovered++;
    state->lost[colour]--;
    put_in_bag(state, colour);
}

static void join_held(State *state, const Knobs *knobs)
{
    if (state->held_count == 0)
        return;
    count_rule(state, MF_DRW_03);
    int64_t left = state->avail_mask;
    while (left != 0) {
        int die = lowest_place(left);
        left &= left - 1;
        int number = state->held[die];
        state->held[die] = 0;
        if (knobs->held_reroll) {
            for (int i = 0; i < number; i++) {
                take_available(state, die);
                put_available(state, 6 * colour_of(die) + below(state, STREAM_PIPS, 6));
            }
        }
    }
    state->held_count = 0;
}

static void draw_dice(State *state, const Knobs *knobs)
{
    count_rule(state, MF_DRW_01);
    count_rule(state, MF_TRK_05);
    join_held(state, knobs);
    int wanted = knobs->base_draw + state->cohesion + state->ability[DRAW_AB];
    for (int i = 0, end = least(wanted, state->bag_count); i < end; i++) {
        int pick = below(state, STREAM_DICE_BAG, state->bag_count);
        int colour = 0;
        int upto = 0;
        for (int i = 0; i < 4; i++) {
            upto += state->bag[i];
            colour += pick >= upto;
        }
        state->bag[colour]--;
        state->bag_count--;
        put_available(state, 6 * colour + below(state, STREAM_PIPS, 6));
    }
    state->black_drawn = least(state->pressure, state->black_pool);
    if (state->black_drawn > 0)
        count_rule(state, MF_DRW_02);
    for (int i = 0, end = state->black_drawn; i < end; i++) {
        state->black_pool--;
        put_available(state, 6 * BLACK + below(state, STREAM_BLACK_PIPS, 6));
    }
}

static void return_black(State *state)
{
    count_rule(state, MF_CLN_01);
    state->black_pool += state->exhausted[BLACK] + state->avail_of[BLACK];
    state->exhausted[BLACK] = 0;
    for (int die = 6 * BLACK; die < CLASSES; die++)
        state->avail[die] = 0;
    state->avail_mask &= ((int64_t)1 << (6 * BLACK)) - 1;
    state->avail_of[BLACK] = 0;
}

/* --- Queue and decks: queue.py -------------------------------------------- */

static int draw_outsider(State *state)
{
    int card;
    if (state->deck_left == 0) {
        if (state->discard_len == 0)
            return EMPTY;
        count_rule(state, MF_CLN_04);
        for (int i = 0, end = state->discard_len; i < end; i++) {
            card = state->discard[i];
            state->deck[i] = card;
            state->card_place[card] = IN_DECK;
        }
        state->deck_left = state->discard_len;
        state->discard_len = 0;
    }
    int place = below(state, STREAM_OUTSIDER_DECK, state->deck_left);
    state->deck_left--;
    card = state->deck[place];
    state->deck[place] = state->deck[state->deck_left];
    return card;
}

static void refill_queue(State *state, const Cards *cards)
{
    int card;
    int kept = 0;
    for (int slot = 0; slot < SLOTS; slot++) {
        card = state->queue[slot];
        if (card >= 0) {
            state->queue[slot] = EMPTY;
            state->queue[kept] = card;
            kept++;
        }
    }
    for (int slot = kept; slot < SLOTS; slot++) {
        card = draw_outsider(state);
        state->queue[slot] = card;
        if (card >= 0)
            state->card_place[card] = IN_QUEUE;
    }
    measure_strength(state, cards);
}

static int take_from_queue(State *state, const Cards *cards, int slot, int place)
{
    count_rule(state, MF_ACT_04);
    int card = state->queue[slot];
    state->queue[slot] = EMPTY;
    state->card_place[card] = place;
    if (place == DISCARDED) {
        state->discard[state->discard_len] = card;
        state->discard_len++;
    }
    measure_strength(state, cards);
    return card;
}

static bool is_city(int card)
{
    return card >= CITY;
}

static void change_ability(State *state, const Cards *cards, int card, int sign)
{
    int ability = cards->ability[card];
    if (ability >= 0) {
        state->ability[ability] += sign * cards->ability_n[card];
        refresh_requirement(state);
    }
}

static void join_tableau(State *state, const Cards *cards, int card)
{
    state->tableau |= bit(card);
    state->card_place[card] = IN_TABLEAU;
    change_ability(state, cards, card, 1);
}

static void leave_tableau(State *state, const Cards *cards, int card)
{
    state->tableau &= ~bit(card);
    state->card_place[card] = REMOVED;
    change_ability(state, cards, card, -1);
}

static int draw_fate(State *state, const Cards *cards)
{
    if (state->turn == 1)
        return cards->first_fate;
    if (state->fate_left == 0)
        state->fate_left = cards->n_fate - 1;
    int place = below(state, STREAM_FATE_DECK, state->fate_left);
    state->fate_left--;
    int card = state->fate[place];
    state->fate[place] = state->fate[state->fate_left];
    state->fate[state->fate_left] = card;
    return card;
}

/* --- Effects of cards: effects.py ----------------------------------------- */

static void offer_payment(State *state, const Knobs *knobs, const Cards *cards, int resource, int price)
{
    (void)knobs;
    if (read_track(state, resource) >= price)
        ask(state, CHOICE, ABOUT_PAY, BOTH);
    else
        state->pc = cards->code[state->pc - 1][3];
}

static void test_condition(State *state, const Cards *cards, int pc)
{
    int op = cards->code[pc][0];
    int left = read_track(state, cards->code[pc][1]);
    int right = cards->code[pc][2];
    if (right >= TRACK_OPERAND)
        right = read_track(state, right - TRACK_OPERAND);
    bool holds = left < right;
    if (op == IF_AT_MOST)
        holds = left <= right;
    else if (op == IF_EQUAL)
        holds = left == right;
    else if (op == IF_AT_LEAST)
        holds = left >= right;
    else if (op == IF_MORE)
        holds = left > right;
    if (!holds)
        state->pc = cards->code[pc][3];
}

static void choose_city(State *state, const Knobs *knobs)
{
    int64_t options = 0;
    for (int city = 0; city < MAX_CITIES; city++) {
        if (state->support[city] != OFF_TRACK && state->support[city] < knobs->support_goal)
            options |= bit(city);
    }
    if (options != 0)
        ask(state, PICK, ABOUT_CITY, options);
}

static void lose_support(State *state)
{
    int best = -1;
    for (int city = 0; city < MAX_CITIES; city++) {
        if (state->support[city] > 0 && (best < 0 || state->support[city] > state->support[best]))
            best = city;
    }
    if (best >= 0)
        state->support[best]--;
}

static void choose_traitor(State *state)
{
    int64_t options = state->avail_mask & BLACKS;
    if (options != 0 && (state->unrest > 0 || state->pressure > 0))
        ask(state, DIE, ABOUT_PURGE, options);
    else
        state->pc++;
}

static void choose_purge_track(State *state)
{
    int options = (state->unrest > 0) + 2 * (state->pressure > 0);
    ask(state, CHOICE, ABOUT_PURGE_TRACK, options);
}

static void special_effect(State *state, const Knobs *knobs, int op, int b)
{
    if (op == SUPPORT_UP) {
        choose_city(state, knobs);
    } else if (op == SUPPORT_DOWN) {
        lose_support(state);
    } else if (op == ASSAULT_OP) {
        assault_check(state, knobs, BY_CARD, b);
    } else if (op == REQUIREMENT_OP) {
        state->requirement_mod += b;
        refresh_requirement(state);
    } else if (op == COUNTER_COST_OP) {
        state->counter_cost_turn += b;
    } else if (op == RAID_ROLL_OP) {
        state->raid_roll_turn += b;
    } else if (op == PURGE_OP) {
        choose_traitor(state);
    } else if (op == PURGE_TRACK_OP) {
        choose_purge_track(state);
    } else if (op == HERALD_OP) {
        state->herald = true;
    }
}

static void effect_step(State *state, const Knobs *knobs, const Cards *cards)
{
    int pc = state->pc;
    int op = cards->code[pc][0];
    int a = cards->code[pc][1];
    int b = cards->code[pc][2];
    state->pc = pc + 1;
    if (op == GAIN)
        gain_as_said(state, knobs, a, b);
    else if (op == END)
        state->pc = 0;
    else if (op == REWARD_FOOD)
        gain(state, knobs, FOOD, greatest(b + knobs->food_reward_shift, 0));
    else if (op == JUMP)
        state->pc = cards->code[pc][3];
    else if (op == CASUALTY_OP)
        state->casualties = b;
    else if (op == RECOVER_OP)
        state->recoveries = b;
    else if (op == CHOOSE_OP)
        ask(state, CHOICE, ABOUT_CHOOSE, BOTH);
    else if (op == PAY_OP)
        offer_payment(state, knobs, cards, a, b);
    else if (op >= IF_LESS)
        test_condition(state, cards, pc);
    else
        special_effect(state, knobs, op, b);
}

static void raise_support(State *state, const Knobs *knobs, int city)
{
    state->support[city]++;
    check_relief(state, knobs);
}

static void choose_half(State *state, const Knobs *knobs, const Cards *cards, int option)
{
    int asked = state->pc - 1;
    if (option == 1)
        state->pc = cards->code[asked][3];
    else if (state->about == ABOUT_PAY)
        gain_as_said(state, knobs, cards->code[asked][1], -cards->code[asked][2]);
}

/* --- The Action Phase: actions.py ----------------------------------------- */

static int64_t taken_spaces(const State *state)
{
    int64_t seated = 0;
    for (int space = 0; space < SPACES; space++)
        seated |= (int64_t)(state->space[space] != EMPTY) << space;
    return seated;
}

static int offer_all(State *state, int64_t places, int first, int n)
{
    while (places != 0) {
        state->legal[n] = first + lowest_place(places);
        places &= places - 1;
        n++;
    }
    return n;
}

static int64_t casualty_for_card(const State *state)
{
    return (state->avail_mask & COLOURED) | exhausted_mask(state, 5);
}

static bool can_activate(const State *state, const Knobs *knobs, const Cards *cards, int space)
{
    int elder = state->space[space];
    if (elder == EMPTY || (knobs->elder_activation_limit == 0 && state->activated & bit(elder)))
        return false;
    if (cards->elder_pays[elder] >= 0 && read_track(state, cards->elder_pays[elder]) < cards->elder_price[elder])
        return false;
    if (cards->elder_purges[elder]) {
        if (state->avail_of[BLACK] == 0 || (state->unrest == 0 && state->pressure == 0))
            return false;
        return state->avail_of[BLACK] > 1 || (state->avail_mask & COLOURED) != 0;
    }
    return true;
}

static int64_t ready_elders(const State *state, const Knobs *knobs, const Cards *cards, int64_t seated)
{
    int64_t ready = 0;
    while (seated != 0) {
        int space = lowest_place(seated);
        seated &= seated - 1;
        ready |= (int64_t)(can_activate(state, knobs, cards, space)) << space;
    }
    return ready;
}

static int64_t dice_of(int64_t mask, int colour)
{
    return mask & ((int64_t)PIPS << (6 * colour));
}

static int64_t payable_dice(const State *state, int price, int64_t mask)
{
    if (state->materials >= price)
        return mask;
    if (state->materials == price - 1 && !state->yellow_used)
        return dice_of(mask, YELLOW);
    return 0;
}

static int counter_price(const State *state, int printed)
{
    return greatest(printed + state->ability[COUNTER_COST_AB] + state->counter_cost_turn, 0);
}

static int64_t counter_dice(const State *state, int printed, int64_t mask)
{
    return payable_dice(state, counter_price(state, printed), mask);
}

static int64_t once_a_turn(const State *state, const Knobs *knobs, int64_t mask)
{
    int64_t found = ((int64_t)(!state->ration_used) << RATION) | ((int64_t)(!state->patrol_used) << PATROL);
    found |= (int64_t)(!state->deconstruct_used) << DECONSTRUCT;
    if (!state->counter_used) {
        bool trenches = counter_dice(state, knobs->counter_entrenchment_cost, mask) != 0;
        found |= (int64_t)(trenches & (state->entrenchment > 0)) << COUNTER_ENTRENCHMENT;
        bool guns = counter_dice(state, knobs->counter_bombardment_cost, mask) != 0;
        found |= (int64_t)(guns & (state->bombardment > 0)) << COUNTER_BOMBARDMENT;
    }
    return found;
}

static int64_t first_slots(int number)
{
    return ((int64_t)1 << greatest(least(number, SLOTS), 0)) - 1;
}

static int convert_power(const State *state)
{
    return state->converts == 0 ? state->ability[CONVERT_POWER_AB] : 0;
}

static int far_reach(const State *state)
{
    return greatest(least(6, 6 - state->entrenchment + state->ability[REACH_AB]), 0);
}

static int reach(const State *state)
{
    return 6 - state->entrenchment;
}

static int64_t fold(int64_t dice)
{
    return (dice | (dice >> 6) | (dice >> 12) | (dice >> 18) | (dice >> 24)) & PIPS;
}

static int resistance(const Knobs *knobs, const Cards *cards, int card)
{
    return greatest(cards->resistance[card] + knobs->resistance_shift, 1);
}

static bool can_dispatch(const State *state, const Knobs *knobs)
{
    return state->cohesion > 0 || state->herald || knobs->dispatch_at_zero_cohesion == 1;
}

static bool can_pay_city(const State *state, const Cards *cards, int city)
{
    return state->food >= cards->city_food[city] && state->materials >= cards->city_materials[city];
}

static int64_t open_in_queue(const State *state, const Knobs *knobs, const Cards *cards, int64_t mask)
{
    int strength = coloured_available(state) + convert_power(state);
    strength += !state->blue_used & (state->avail_of[BLUE] > 0);
    int64_t outsiders = 0;
    int64_t cities = 0;
    int64_t weak = 0;
    for (int slot = 0; slot < SLOTS; slot++) {
        int card = state->queue[slot];
        cities |= (int64_t)(card >= CITY) << slot;
        outsiders |= (int64_t)((card >= 0) & (card < CITY)) << slot;
        weak |= (int64_t)(strength >= resistance(knobs, cards, greatest(card, 0))) << slot;
    }
    int64_t far = first_slots(far_reach(state));
    int64_t near = first_slots(reach(state));
    int coloured = SLOTS_OF_PIPS[fold(mask & COLOURED)];
    int fitting = coloured | SLOTS_OF_PIPS[mask >> (6 * BLACK)];
    int raiding = fitting | SLOTS_OF_RED[dice_of(mask, RED) >> (6 * RED)];
    int reduction = state->negotiates == 0 ? state->ability[NEGOTIATE_COST_AB] : 0;
    int purse = state->materials - reduction;
    int64_t payable = first_slots(purse + 1);
    if (!state->yellow_used)
        payable |= first_slots(purse + 2) & SLOTS_OF_PIPS[dice_of(mask, YELLOW) >> (6 * YELLOW)];
    int64_t willing = knobs->city_negotiable == 1 ? outsiders | cities : outsiders;
    int64_t found = (outsiders & far & coloured & weak) << CONVERT;
    found |= (willing & far & fitting & payable) << NEGOTIATE;
    found |= (willing & near & raiding) << RAID;
    int64_t movable = cities & near & coloured;
    while (movable != 0) {
        int slot = lowest_place(movable);
        movable &= movable - 1;
        int city = state->queue[slot] - CITY;
        found |= (int64_t)(can_dispatch(state, knobs) && can_pay_city(state, cards, city)) << (MOVE + slot);
    }
    return found;
}

static int64_t packed_purse(const State *state)
{
    int64_t low = state->food | ((int64_t)state->materials << 8) | ((int64_t)state->luxuries << 16);
    return low | ((int64_t)state->piety << 24) | ((int64_t)state->influence << 32) | PURSE_BITS;
}

static bool covers(int64_t purse, int64_t price)
{
    return ((purse - price) & PURSE_BITS) == PURSE_BITS;
}

static int64_t open_seats(const State *state, const Cards *cards)
{
    int64_t purse = packed_purse(state);
    int64_t colours = 0;
    for (int colour = 0; colour < 5; colour++)
        colours |= (int64_t)(state->avail_of[colour] > 0) << colour;
    int64_t found = 0;
    for (int elder = 0; elder < MAX_ELDERS; elder++) {
        int64_t there = (state->elder_state[elder] == OPEN) & (colours >> cards->elder_die[elder]);
        found |= (there & covers(purse, cards->elder_packed[elder])) << elder;
    }
    return found & (((int64_t)1 << cards->n_elders) - 1);
}

static int purple_bonus(const Knobs *knobs, int number)
{
    return knobs->purple_dispatch_stack ? number : 1;
}

static int dispatch_power(const State *state)
{
    int power = state->advances == 0 ? state->ability[DISPATCH_POWER_AB] : 0;
    return state->herald ? power + 1 : power;
}

static bool can_advance(const State *state, const Knobs *knobs, const Cards *cards, int city)
{
    if (state->support[city] == OFF_TRACK || state->support[city] >= knobs->support_goal)
        return false;
    if (state->city_targeted & bit(city))
        return false;
    int dice = coloured_available(state);
    if (dice == 0)
        return false;
    int bonus = 0;
    if (state->avail_of[PURPLE] > 0)
        bonus = purple_bonus(knobs, state->avail_of[PURPLE]);
    else if (state->avail_of[BLUE] > 0 && !state->blue_used)
        bonus = 1;
    return dice + bonus + dispatch_power(state) >= resistance(knobs, cards, CITY + city);
}

static int64_t open_advances(const State *state, const Knobs *knobs, const Cards *cards)
{
    if (state->on_track == 0 || !can_dispatch(state, knobs))
        return 0;
    int64_t found = 0;
    for (int city = 0; city < cards->n_cities; city++)
        found |= (int64_t)(can_advance(state, knobs, cards, city)) << city;
    return found;
}

static void offer_actions(State *state, const Knobs *knobs, const Cards *cards)
{
    int64_t mask = state->avail_mask;
    bool can_execute = casualty_for_card(state) != 0;
    int64_t seated = taken_spaces(state);
    int64_t open_actions = bit(END_PHASE);
    if (can_execute)
        open_actions |= (seated & 7) << EXECUTE_ELDER;
    int64_t ready = 0;
    if (mask != 0) {
        ready = ready_elders(state, knobs, cards, seated);
        open_actions |= once_a_turn(state, knobs, mask);
        open_actions |= (int64_t)(state->unrest > 0) << EXECUTE_FOR_UNREST;
        open_actions |= (int64_t)(state->pressure > 0) << EXECUTE_FOR_PRESSURE;
        open_actions |= (ready & 7) << ACTIVATE;
        open_actions |= open_seats(state, cards) << SEAT;
        open_actions |= open_in_queue(state, knobs, cards, mask);
        open_actions |= open_advances(state, knobs, cards) << ADVANCE;
    }
    state->legal_mask = open_actions;
    int n = offer_all(state, open_actions, 0, 0);
    if (can_execute)
        n = offer_all(state, state->tableau, EXECUTE_OUTSIDER, n);
    if (seated & 8)
        n = offer_all(state, can_execute | ((ready >> 3) << 1), EXECUTE_FIFTH, n);
    state->n_legal = n;
}

static bool is_open(const State *state, int action)
{
    return ((state->legal_mask >> action) & 1) == 1;
}

static int negotiate_price(const State *state, int slot)
{
    if (state->negotiates == 0)
        return greatest(slot + state->ability[NEGOTIATE_COST_AB], 0);
    return slot;
}

static int64_t negotiate_dice(const State *state, int slot, int64_t fitting)
{
    return payable_dice(state, negotiate_price(state, slot), fitting);
}

static int64_t raid_dice(int64_t mask, int slot)
{
    return (mask & AT_LEAST[slot + 1]) | (dice_of(mask, RED) & AT_LEAST[slot]);
}

static bool anyone_seated(const State *state)
{
    return taken_spaces(state) != 0;
}

static void next_action(State *state)
{
    bool dice = state->avail_mask != 0;
    if (!dice && (state->tableau != 0 || anyone_seated(state)))
        dice = casualty_for_card(state) != 0;
    if (dice)
        ask(state, ACTION, ABOUT_ACTION, 0);
    else
        state->step = SIEGE_STEP;
}

static void begin_commit(State *state, int64_t options)
{
    count_rule(state, MF_DIE_02);
    state->power = 0;
    state->power_blue = false;
    state->power_purple = 0;
    ask(state, COMMIT, ABOUT_ACTION, options);
}

static void begin_in_queue(State *state, int action, int64_t mask)
{
    count_rule(state, MF_TRK_02);
    int slot = (action - CONVERT) % SLOTS;
    if (is_city(state->queue[slot]) && action < MOVE)
        count_rule(state, MF_QUE_01);
    if (action < NEGOTIATE)
        begin_commit(state, mask & AT_LEAST[slot + 1] & COLOURED);
    else if (action < RAID)
        ask(state, DIE, ABOUT_ACTION, negotiate_dice(state, slot, mask & AT_LEAST[slot + 1]));
    else if (action < MOVE)
        ask(state, DIE, ABOUT_ACTION, raid_dice(mask, slot));
    else
        ask(state, DIE, ABOUT_ACTION, mask & AT_LEAST[slot + 1] & COLOURED);
}

static int space_of(int action)
{
    if (action >= EXECUTE_FIFTH)
        return 3;
    return action >= ACTIVATE ? action - ACTIVATE : action - EXECUTE_ELDER;
}

static void begin_action(State *state, const Knobs *knobs, const Cards *cards, int action)
{
    if (action == END_PHASE) {
        state->step = SIEGE_STEP;
        return;
    }
    count_rule(state, MF_ACT_01);
    count_rule(state, MF_GEN_03);
    state->doing = action;
    state->actions_taken++;
    int64_t mask = state->avail_mask;
    if (action >= EXECUTE_OUTSIDER && action != ACTIVATE_FIFTH) {
        ask(state, CASUALTY, ABOUT_CARD_COST, casualty_for_card(state));
    } else if (ADVANCE <= action && action < EXECUTE_OUTSIDER) {
        begin_commit(state, mask & COLOURED);
    } else if (action >= CONVERT && action != ACTIVATE_FIFTH) {
        begin_in_queue(state, action, mask);
    } else if (SEAT <= action && action < CONVERT) {
        ask(state, DIE, ABOUT_ACTION, dice_of(mask, cards->elder_die[action - SEAT]));
    } else if (action >= ACTIVATE) {
        int elder = state->space[space_of(action)];
        if (cards->elder_purges[elder] && state->avail_of[BLACK] == 1)
            mask &= COLOURED;
        ask(state, DIE, ABOUT_ACTION, mask);
    } else if (action >= EXECUTE_ELDER) {
        ask(state, CASUALTY, ABOUT_CARD_COST, casualty_for_card(state));
    } else {
        if (action == COUNTER_ENTRENCHMENT)
            mask = counter_dice(state, knobs->counter_entrenchment_cost, mask);
        else if (action == COUNTER_BOMBARDMENT)
            mask = counter_dice(state, knobs->counter_bombardment_cost, mask);
        ask(state, DIE, ABOUT_ACTION, mask);
    }
}

static void ration(State *state, const Knobs *knobs, int die)
{
    count_rule(state, MF_ACT_03);
    count_rule(state, MF_RAT_01);
    count_rule(state, MF_TRK_03);
    state->ration_used = true;
    work(state, knobs, die);
    if (state->over)
        return;
    int amount = greatest(pip_of(die) - state->consumption + state->ability[RATION_AB], 0);
    gain(state, knobs, FOOD, amount);
    if (amount >= knobs->ration_material_at) {
        count_rule(state, MF_RAT_02);
        gain(state, knobs, MATERIALS, 1);
    }
}

static void patrol(State *state, const Knobs *knobs, int die)
{
    count_rule(state, MF_ACT_03);
    count_rule(state, MF_PAT_01);
    state->patrol_used = true;
    work(state, knobs, die);
    if (state->over)
        return;
    int amount = pip_of(die) >= knobs->patrol_strong_pip ? 2 : 1;
    gain(state, knobs, DEFENSE, greatest(amount + state->ability[PATROL_AB], 0));
}

static void pay_materials(State *state, int price, int die)
{
    if (price > 0 && colour_of(die) == YELLOW && !state->yellow_used) {
        count_rule(state, MF_DIE_06);
        state->yellow_used = true;
        price--;
    }
    state->materials -= price;
}

static void counter_battery(State *state, const Knobs *knobs, int action, int die)
{
    int printed;
    count_rule(state, MF_ACT_03);
    state->counter_used = true;
    if (action == COUNTER_ENTRENCHMENT) {
        count_rule(state, MF_CTB_01);
        printed = knobs->counter_entrenchment_cost;
    } else {
        count_rule(state, MF_CTB_02);
        printed = knobs->counter_bombardment_cost;
    }
    int price = counter_price(state, printed);
    if (price != printed)
        count_rule(state, MF_CTB_03);
    pay_materials(state, price, die);
    work(state, knobs, die);
    if (!state->over)
        gain(state, knobs, action == COUNTER_ENTRENCHMENT ? ENTRENCHMENT : BOMBARDMENT, -1);
}

static void deconstruct(State *state, const Knobs *knobs, int die)
{
    count_rule(state, MF_ACT_03);
    count_rule(state, MF_DCN_01);
    state->deconstruct_used = true;
    work(state, knobs, die);
    if (state->over)
        return;
    int amount = pip_of(die) + state->ability[DECONSTRUCT_AB];
    int colour = colour_of(die);
    if (colour == YELLOW) {
        count_rule(state, MF_DIE_06);
        amount++;
    }
    gain(state, knobs, MATERIALS, greatest(amount, 0));
    if (colour == PURPLE) {
        count_rule(state, MF_DIE_07);
        gain(state, knobs, LUXURIES, 1);
    }
}

static void execute_die(State *state, int die)
{
    count_rule(state, MF_EXD_01);
    state->executed_dice++;
    if (remove_die(state, die) == BLACK) {
        count_rule(state, MF_EXD_02);
        count_rule(state, MF_DIE_10);
        state->black_executed_turn++;
        state->executed_black++;
    }
}

static void lower_track(State *state, const Knobs *knobs, int what)
{
    int amount = 1;
    if (state->executes == 0)
        amount = greatest(1 + state->ability[EXECUTE_BONUS_AB], 0);
    state->executes++;
    if (what == PRESSURE)
        count_rule(state, MF_EXD_03);
    gain_as_said(state, knobs, what, -amount);
}

static void sit_down(State *state, int elder, int space)
{
    state->space[space] = elder;
    state->elder_state[elder] = SEATED;
    state->seated_turn[elder] = state->turn;
    state->elders_seated++;
}

static void seat_elder(State *state, const Knobs *knobs, const Cards *cards, int elder, int die)
{
    count_rule(state, MF_SEA_01);
    state->food -= cards->elder_cost[elder][0];
    state->materials -= cards->elder_cost[elder][1];
    state->luxuries -= cards->elder_cost[elder][2];
    state->piety -= cards->elder_cost[elder][3];
    state->influence -= cards->elder_cost[elder][4];
    work(state, knobs, die);
    count_rule(state, MF_SEA_03);
    int spaces = 3 + knobs->council_free_spaces;
    for (int space = 0; space < spaces; space++) {
        if (state->space[space] == EMPTY) {
            sit_down(state, elder, space);
            return;
        }
    }
    ask(state, REPLACE, ABOUT_ACTION, ((int64_t)1 << spaces) - 1);
}

static void negotiate(State *state, const Knobs *knobs, const Cards *cards, int slot, int die)
{
    count_rule(state, MF_NEG_01);
    pay_materials(state, negotiate_price(state, slot), die);
    state->negotiates++;
    state->negotiations++;
    work(state, knobs, die);
    if (state->over)
        return;
    int bonus = 0;
    if (colour_of(die) == PURPLE) {
        count_rule(state, MF_DIE_07);
        bonus = 1;
    }
    if (state->negotiates == 1)
        bonus += state->ability[NEGOTIATE_INFLUENCE_AB];
    if (bonus != 0)
        gain(state, knobs, INFLUENCE, bonus);
    state->pc = cards->reward[state->queue[slot]];
    state->step = NEGOTIATED_STEP;
}

static void raid(State *state, const Knobs *knobs, const Cards *cards, int slot, int die)
{
    count_rule(state, MF_RAI_01);
    state->raids++;
    work(state, knobs, die);
    if (state->over)
        return;
    if (state->ability[RAID_FOOD_AB] != 0)
        gain(state, knobs, FOOD, state->ability[RAID_FOOD_AB]);
    state->pc = cards->reward[state->queue[slot]];
    state->step = RAIDED_STEP;
}

static void pay_cohesion(State *state, const Knobs *knobs, int city)
{
    count_rule(state, MF_DSP_04);
    state->city_targeted |= bit(city);
    if (state->herald) {
        state->herald = false;
    } else {
        count_rule(state, MF_DSP_05);
        gain(state, knobs, COHESION, -1);
    }
}

static void move_city(State *state, const Knobs *knobs, const Cards *cards, int slot, int die)
{
    count_rule(state, MF_DSP_01);
    int city = take_from_queue(state, cards, slot, ON_TRACK) - CITY;
    state->food -= cards->city_food[city];
    state->materials -= cards->city_materials[city];
    pay_cohesion(state, knobs, city);
    work(state, knobs, die);
    state->dispatch_moves++;
    state->support[city] = knobs->support_start;
    state->on_track |= bit(city);
    check_relief(state, knobs);
}

static void activate(State *state, const Knobs *knobs, const Cards *cards, int space, int die)
{
    count_rule(state, MF_ELD_01);
    int elder = state->space[space];
    if (knobs->elder_activation_limit == 0)
        count_rule(state, MF_ELD_02);
    if (state->seated_turn[elder] == state->turn)
        count_rule(state, MF_ELD_03);
    state->activated |= bit(elder);
    state->activations++;
    if (cards->elder_pays[elder] >= 0)
        gain_as_said(state, knobs, cards->elder_pays[elder], -cards->elder_price[elder]);
    work(state, knobs, die);
    if (!state->over)
        state->pc = cards->elder_program[elder];
}

static void use_die(State *state, const Knobs *knobs, const Cards *cards, int die)
{
    state->die_used = die;
    int action = state->doing;
    if (action == RATION) {
        ration(state, knobs, die);
    } else if (action == PATROL) {
        patrol(state, knobs, die);
    } else if (action == COUNTER_ENTRENCHMENT || action == COUNTER_BOMBARDMENT) {
        counter_battery(state, knobs, action, die);
    } else if (action == DECONSTRUCT) {
        deconstruct(state, knobs, die);
    } else if (action == EXECUTE_FOR_UNREST || action == EXECUTE_FOR_PRESSURE) {
        execute_die(state, die);
        lower_track(state, knobs, action == EXECUTE_FOR_UNREST ? UNREST : PRESSURE);
    } else if (SEAT <= action && action < CONVERT) {
        seat_elder(state, knobs, cards, action - SEAT, die);
    } else if (NEGOTIATE <= action && action < RAID) {
        negotiate(state, knobs, cards, action - NEGOTIATE, die);
    } else if (RAID <= action && action < MOVE) {
        raid(state, knobs, cards, action - RAID, die);
    } else if (MOVE <= action && action < ADVANCE) {
        move_city(state, knobs, cards, action - MOVE, die);
    } else {
        activate(state, knobs, cards, space_of(action), die);
    }
}

static void execute_outsider(State *state, const Cards *cards, int card)
{
    count_rule(state, MF_EXC_04);
    leave_tableau(state, cards, card);
    if (cards->tag[card][0] < 0)
        return;
    if (cards->tag[card][1] < 0)
        state->pc = cards->tag_program[cards->tag[card][0]];
    else
        ask(state, CHOICE, ABOUT_TAG, BOTH);
}

static void execute_elder(State *state, const Knobs *knobs, const Cards *cards, int space)
{
    count_rule(state, MF_EXC_02);
    count_rule(state, MF_EXC_03);
    count_rule(state, MF_EXC_05);
    int elder = state->space[space];
    state->space[space] = EMPTY;
    state->elder_state[elder] = EXECUTED;
    gain(state, knobs, VP, cards->elder_vp[elder]);
}

static void execute_card(State *state, const Knobs *knobs, const Cards *cards, int die)
{
    count_rule(state, MF_EXC_01);
    count_rule(state, MF_DIE_11);
    remove_die(state, die);
    state->casualties_taken++;
    state->executed_cards++;
    int action = state->doing;
    if (EXECUTE_OUTSIDER <= action && action < EXECUTE_FIFTH)
        execute_outsider(state, cards, action - EXECUTE_OUTSIDER);
    else
        execute_elder(state, knobs, cards, space_of(action));
}

static void reward_tag(State *state, const Cards *cards, int option)
{
    state->pc = cards->tag_program[cards->tag[state->doing - EXECUTE_OUTSIDER][option]];
}

static void replace_elder(State *state, int space)
{
    count_rule(state, MF_SEA_02);
    state->elder_state[state->space[space]] = OPEN;
    sit_down(state, state->doing - SEAT, space);
}

static int committed_to_convert(const State *state)
{
    int power = state->power + convert_power(state);
    return state->power_blue && !state->blue_used ? power + 1 : power;
}

static void convert(State *state, const Cards *cards, int slot)
{
    count_rule(state, MF_CNV_01);
    count_rule(state, MF_CNV_03);
    if (state->power_blue && !state->blue_used) {
        count_rule(state, MF_DIE_05);
        count_rule(state, MF_CNV_02);
        state->blue_used = true;
    } else if (convert_power(state) != 0) {
        count_rule(state, MF_CNV_02);
    }
    state->converts++;
    state->conversions++;
    int card = take_from_queue(state, cards, slot, IN_TABLEAU);
    join_tableau(state, cards, card);
    state->pc = cards->once[card];
}

static int committed_to_dispatch(const State *state, const Knobs *knobs)
{
    int power = state->power + dispatch_power(state);
    if (state->power_purple > 0)
        return power + purple_bonus(knobs, state->power_purple);
    return state->power_blue && !state->blue_used ? power + 1 : power;
}

static void advance_city(State *state, const Knobs *knobs, int city)
{
    count_rule(state, MF_DSP_02);
    count_rule(state, MF_DSP_03);
    if (state->power_purple > 0) {
        count_rule(state, MF_DIE_07);
        if (state->power_blue || state->power_purple > 1)
            count_rule(state, MF_DIE_08);
    } else if (state->power_blue && !state->blue_used) {
        count_rule(state, MF_DIE_05);
        state->blue_used = true;
    }
    state->advances++;
    state->dispatch_advances++;
    pay_cohesion(state, knobs, city);
    state->support[city]++;
    check_relief(state, knobs);
}

static void commit(State *state, const Knobs *knobs, const Cards *cards, int die)
{
    exhaust(state, die);
    int colour = colour_of(die);
    state->dice_used[colour]++;
    if (colour == 0)
        count_rule(state, MF_DIE_03);
    state->power++;
    state->power_blue = state->power_blue || colour == BLUE;
    state->power_purple += colour == PURPLE;
    int action = state->doing;
    if (action < NEGOTIATE) {
        if (committed_to_convert(state) >= resistance(knobs, cards, state->queue[action - CONVERT])) {
            convert(state, cards, action - CONVERT);
            return;
        }
    } else if (committed_to_dispatch(state, knobs) >= resistance(knobs, cards, CITY + action - ADVANCE)) {
        advance_city(state, knobs, action - ADVANCE);
        return;
    }
    ask(state, COMMIT, ABOUT_ACTION, state->avail_mask & COLOURED);
}

static void discard_card(State *state, const Cards *cards)
{
    take_from_queue(state, cards, state->doing - NEGOTIATE, DISCARDED);
    state->step = ACTION_STEP;
}

static void roll_for_raid(State *state, const Knobs *knobs, const Cards *cards)
{
    take_from_queue(state, cards, state->doing - RAID, REMOVED);
    state->step = ACTION_STEP;
    int roll = 1 + below(state, STREAM_RAID, 12);
    int total = roll + state->ability[RAID_ROLL_AB] + state->raid_roll_turn;
    if (colour_of(state->die_used) == RED) {
        count_rule(state, MF_DIE_04);
        total++;
    }
    state->raid_rolled = roll;
    state->raid_total = total;
    if (total <= knobs->raid_casualty_max) {
        count_rule(state, MF_RAI_02);
        state->casualties = 1;
    }
}

/* --- The other phases: turn.py -------------------------------------------- */

static void forget_turn(State *state)
{
    count_rule(state, MF_GEN_06);
    state->ration_used = false;
    state->patrol_used = false;
    state->counter_used = false;
    state->deconstruct_used = false;
    state->blue_used = false;
    state->yellow_used = false;
    state->converts = 0;
    state->negotiates = 0;
    state->advances = 0;
    state->executes = 0;
    state->black_work = 0;
    state->herald = false;
    state->counter_cost_turn = 0;
    state->raid_roll_turn = 0;
    state->city_targeted = 0;
    state->activated = 0;
    state->requirement_mod = 0;
    state->black_executed_turn = 0;
    state->decree = 0;
}

static void fate_phase(State *state, const Cards *cards)
{
    count_rule(state, MF_TRN_01);
    state->turn++;
    state->phase = FATE_PHASE;
    forget_turn(state);
    count_rule(state, MF_FAT_01);
    int card = draw_fate(state, cards);
    state->fate_drawn = card;
    state->pc = cards->fate_program[card];
    state->step = UPKEEP_STEP;
}

static void food_upkeep(State *state, const Knobs *knobs)
{
    state->phase = UPKEEP_PHASE;
    state->step = DRAW_STEP;
    if (state->turn == 1) {
        count_rule(state, MF_UPK_01);
        return;
    }
    count_rule(state, MF_UPK_02);
    count_rule(state, MF_UPK_03);
    count_rule(state, MF_TRK_03);
    int dice = coloured_available(state);
    for (int colour = 0; colour < 5; colour++)
        dice += state->exhausted[colour];
    int levy = state->consumption + state->black_fed;
    int bill = greatest(dice + levy + state->ability[UPKEEP_AB], 0);
    int missing = greatest(bill - state->food, 0);
    if (missing > 0) {
        count_rule(state, MF_UPK_04);
        if (!knobs->hunger_levy_first)
            missing = greatest(missing - levy, 0);
    }
    state->bill = bill;
    state->unfed = 0;
    state->unfed_due = least(dice, missing);
    state->step = STARVE_STEP;
}

static void name_unfed(State *state, const Knobs *knobs)
{
    if (state->unfed_due == 0 && !knobs->voluntary_starvation) {
        state->step = HUNGER_STEP;
        return;
    }
    int64_t options = state->avail_mask;
    for (int colour = 0; colour < 5; colour++)
        options |= (int64_t)(state->exhausted[colour] > state->starving[colour]) << (EXHAUSTED + colour);
    if (options == 0) {
        state->step = HUNGER_STEP;
        return;
    }
    if (state->unfed_due == 0)
        options |= STARVE_NO_MORE_BIT;
    ask(state, UNFED, ABOUT_ACTION, options);
}

static void starve(State *state, int die)
{
    int colour;
    if (die == STARVE_NO_MORE) {
        state->step = HUNGER_STEP;
        return;
    }
    count_rule(state, MF_UPK_05);
    if (die < EXHAUSTED) {
        colour = colour_of(die);
        take_available(state, die);
        state->exhausted[colour]++;
    } else {
        colour = die - EXHAUSTED;
    }
    state->starving[colour]++;
    state->unfed++;
    if (state->unfed_due > 0)
        state->unfed_due--;
}

static void refresh_dice(State *state)
{
    count_rule(state, MF_UPK_06);
    count_rule(state, MF_DIE_01);
    for (int colour = 0; colour < 5; colour++) {
        int fed = state->exhausted[colour] - state->starving[colour];
        state->bag[colour] += fed;
        state->bag_count += fed;
        state->exhausted[colour] = state->starving[colour];
        state->starving[colour] = 0;
    }
    int64_t left = state->avail_mask & COLOURED;
    while (left != 0) {
        int die = lowest_place(left);
        left &= left - 1;
        while (state->avail[die] > state->held[die]) {
            take_available(state, die);
            put_in_bag(state, colour_of(die));
        }
    }
}

static void pay_and_hunger(State *state, const Knobs *knobs)
{
    state->food -= least(state->food, greatest(state->bill - state->unfed, 0));
    refresh_dice(state);
    state->step = DRAW_STEP;
    int unfed = state->unfed;
    if (unfed > 0) {
        count_rule(state, MF_UPK_07);
        state->unfed_total += unfed;
        if (state->first_hunger == 0)
            state->first_hunger = state->turn;
        gain(state, knobs, CONSUMPTION, unfed);
        gain(state, knobs, UNREST, unfed);
    }
    if (state->consumption >= 4 && !state->over) {
        count_rule(state, MF_TRK_04);
        gain(state, knobs, COHESION, -1);
    }
}

static void dice_draw(State *state, const Knobs *knobs)
{
    state->phase = DRAW_PHASE;
    draw_dice(state, knobs);
    count_rule(state, MF_REQ_01);
    count_rule(state, MF_TRK_09);
    state->requirement_base = greatest(state->pressure - knobs->requirement_gap, 1);
    refresh_requirement(state);
    state->step = DECREE_STEP;
}

static void decree_phase(State *state, const Cards *cards)
{
    count_rule(state, MF_DEC_01);
    state->phase = DECREE_PHASE;
    int roll = 1 + below(state, STREAM_DECREE, 12);
    state->decree = roll;
    state->pc = cards->decree_program[roll];
    state->step = ACTION_STEP;
    state->strength_sum += state->siege_strength;
    int targets = 0;
    for (int slot = 0, end = 6 - state->entrenchment; slot < end; slot++)
        targets += state->queue[slot] != EMPTY;
    if (targets < 3)
        state->few_targets++;
}

static void siege_phase(State *state, const Knobs *knobs)
{
    state->phase = SIEGE_PHASE;
    state->window_assault = false;
    state->step = TRAITOR_STEP;
    count_rule(state, MF_SIE_01);
    gain(state, knobs, DEFENSE, -knobs->defense_decay);
    count_rule(state, MF_SIE_02);
    gain(state, knobs, ENTRENCHMENT, knobs->entrenchment_rise);
    count_rule(state, MF_SIE_03);
    gain(state, knobs, BOMBARDMENT, knobs->bombardment_rise);
    if (state->over)
        return;
    if (knobs->winter_first <= state->turn && state->turn <= knobs->winter_last) {
        count_rule(state, MF_SIE_04);
        gain(state, knobs, CONSUMPTION, knobs->winter_consumption);
    }
    if (state->unrest >= knobs->unrest_pressure_at) {
        count_rule(state, MF_SIE_05);
        count_rule(state, MF_TRK_06);
        gain(state, knobs, PRESSURE, 1);
    }
    if (state->unrest == 10 && knobs->unrest_ten_mode == 2) {
        count_rule(state, MF_TRK_07);
        triggered_assault(state, knobs, BY_UNREST);
    }
}

static void traitor_check(State *state, const Knobs *knobs)
{
    state->phase = TRAITOR_PHASE;
    state->step = CLEANUP_STEP;
    if (state->black_drawn == 0) {
        count_rule(state, MF_TRA_01);
        return;
    }
    if (state->avail_of[BLACK] + state->black_executed_turn >= state->requirement) {
        count_rule(state, MF_TRA_02);
        return;
    }
    count_rule(state, MF_TRA_03);
    state->traitor_failures++;
    gain(state, knobs, BOMBARDMENT, 1);
    if (!state->over)
        gain(state, knobs, UNREST, 1);
    if (!state->over && state->siege_strength > state->defense)
        triggered_assault(state, knobs, BY_TRAITOR);
}

static void cleanup(State *state, const Knobs *knobs)
{
    state->phase = CLEANUP_PHASE;
    state->black_fed = 0;
    if (knobs->black_dice_eat)
        state->black_fed = state->avail_of[BLACK] + state->exhausted[BLACK];
    return_black(state);
    state->step = HOLD_STEP;
}

static void choose_held(State *state)
{
    int limit = state->cohesion >= 4 ? 2 : 1;
    if (state->held_count < limit + state->ability[HOLD_AB] && (state->avail_mask & COLOURED) != 0) {
        int64_t options = state->avail_mask & COLOURED;
        int64_t left = state->held_count > 0 ? options : 0;
        while (left != 0) {
            int die = lowest_place(left);
            left &= left - 1;
            if (state->avail[die] == state->held[die])
                options &= ~bit(die);
        }
        if (options != 0) {
            ask(state, HOLD, ABOUT_ACTION, options | STOP_HOLDING_BIT);
            return;
        }
    }
    state->step = QUEUE_STEP;
}

static void hold(State *state, int die)
{
    if (die == STOP_HOLDING) {
        state->step = QUEUE_STEP;
        return;
    }
    count_rule(state, MF_CLN_02);
    state->held[die]++;
    state->held_count++;
}

static void end_turn(State *state, const Knobs *knobs, const Cards *cards)
{
    count_rule(state, MF_CLN_03);
    refill_queue(state, cards);
    count_rule(state, MF_CLN_05);
    if (state->turn >= knobs->turn_limit)
        survive(state);
    else
        state->step = FATE_STEP;
}

/* --- Scoring, the row of a game: scoring.py ------------------------------- */

static int converted_points(const State *state, const Cards *cards)
{
    int points = 0;
    for (int card = 0; card < cards->n_outsiders; card++) {
        if ((state->tableau >> card) & 1)
            points += cards->vp[card];
    }
    return points;
}

static int elder_points(const State *state, const Knobs *knobs, const Cards *cards)
{
    int points = 1;
    for (int elder = 0; elder < cards->n_elders; elder++) {
        if (state->elder_state[elder] == SEATED)
            points++;
        else if (state->elder_state[elder] == EXECUTED && knobs->executed_elder_vp_twice)
            points += cards->elder_vp[elder];
    }
    return points;
}

static int defense_points(const State *state)
{
    if (state->defense == 5)
        return 4;
    return state->defense == 4 ? 2 : 0;
}

static int mastery_points(const State *state, const Knobs *knobs)
{
    int points = 0;
    if (state->piety == 10 || (knobs->mastery_latched && state->piety_reached))
        points += 3;
    if (state->influence == 10 || (knobs->mastery_latched && state->influence_reached))
        points += 3;
    return points;
}

static int survival_band(int points)
{
    if (points >= 50)
        return PYRRHIC + 3;
    if (points >= 35)
        return PYRRHIC + 2;
    return points >= 20 ? PYRRHIC + 1 : PYRRHIC;
}

static int relief_band(int points)
{
    if (points >= 45)
        return RELIEF + 2;
    return points >= 30 ? RELIEF + 1 : RELIEF;
}

static int total_points(const State *state, const Knobs *knobs, const Cards *cards)
{
    return state->vp + converted_points(state, cards) + elder_points(state, knobs,
            cards) + state->luxuries / 2 + defense_points(state) + mastery_points(state, knobs);
}

static void settle_score(State *state, const Knobs *knobs, const Cards *cards)
{
    if (state->ending < PYRRHIC)
        return;
    int total = total_points(state, knobs, cards);
    count_rule(state, MF_SCO_01);
    if (state->tableau != 0)
        count_rule(state, MF_SCO_02);
    count_rule(state, MF_SCO_03);
    if (state->luxuries > 1)
        count_rule(state, MF_SCO_04);
    if (state->defense >= 4)
        count_rule(state, MF_SCO_05);
    if (mastery_points(state, knobs) > 0)
        count_rule(state, MF_SCO_06);
    if (state->ending >= RELIEF) {
        count_rule(state, MF_SCO_07);
        state->ending = relief_band(total);
    } else {
        count_rule(state, MF_SCO_08);
        state->ending = survival_band(total);
    }
}

static void outcome(const State *state, const Knobs *knobs, const Cards *cards, Row *row)
{
    row->turns = state->turn;
    row->ending = state->ending;
    row->winner = -1;
    row->winners = 0;
    if (state->ending >= PYRRHIC) {
        row->winner = 0;
        row->winners = 1;
        row->score[0] = total_points(state, knobs, cards);
        row->vp_earned = state->vp;
        row->vp_converted = converted_points(state, cards);
        row->vp_elders = elder_points(state, knobs, cards);
        row->vp_luxuries = state->luxuries / 2;
        row->vp_defense = defense_points(state);
        row->vp_mastery = mastery_points(state, knobs);
    }
    row->breach_phase = state->ending < PYRRHIC ? state->phase + 1 : 0;
    row->assaults_bombardment = state->assaults[1];
    row->assaults_unrest = state->assaults[2];
    row->assaults_traitor = state->assaults[3];
    row->assaults_card = state->assaults[4];
    row->traitor_failures = state->traitor_failures;
    row->unfed_dice = state->unfed_total;
    row->first_hunger = state->first_hunger;
    row->casualties = state->casualties_taken;
    row->recovered = state->recovered;
    row->conversions = state->conversions;
    row->negotiations = state->negotiations;
    row->raids = state->raids;
    row->dispatch_moves = state->dispatch_moves;
    row->dispatch_advances = state->dispatch_advances;
    row->support_total = 0;
    row->cities_on_track = 0;
    for (int city = 0; city < MAX_CITIES; city++) {
        if (state->support[city] != OFF_TRACK) {
            row->support_total += state->support[city];
            row->cities_on_track++;
        }
    }
    row->executed_dice = state->executed_dice;
    row->executed_black = state->executed_black;
    row->executed_cards = state->executed_cards;
    row->elders_seated = state->elders_seated;
    row->activations = state->activations;
    row->actions = state->actions_taken;
    row->black_worked = state->black_worked;
    row->black_dead = state->black_dead;
    row->used_white = state->dice_used[0];
    row->used_yellow = state->dice_used[1];
    row->used_red = state->dice_used[2];
    row->used_blue = state->dice_used[3];
    row->used_purple = state->dice_used[4];
    row->used_black = state->dice_used[BLACK];
    row->few_targets = state->few_targets;
    row->strength_sum = state->strength_sum;
    row->food_end = state->food;
    row->defense_end = state->defense;
    row->unrest_end = state->unrest;
    row->strength_end = state->siege_strength;
}

/* --- Set-up, the row of steps: rules.py ----------------------------------- */

static void set_tracks(State *state, const Knobs *knobs)
{
    count_rule(state, MF_SET_02);
    state->defense = knobs->defense_start;
    state->cohesion = knobs->cohesion_start;
    state->consumption = knobs->consumption_start;
    state->food = knobs->food_start;
    state->requirement_base = 1;
    refresh_requirement(state);
}

static void set_dice(State *state, const Knobs *knobs)
{
    count_rule(state, MF_SET_03);
    state->bag[0] = knobs->dice_white;
    state->bag[1] = knobs->dice_yellow;
    state->bag[2] = knobs->dice_red;
    state->bag[3] = knobs->dice_blue;
    state->bag[4] = knobs->dice_purple;
    for (int colour = 0; colour < 5; colour++)
        state->bag_count += state->bag[colour];
    state->black_pool = knobs->dice_black;
}

static void set_cards(State *state, const Knobs *knobs, const Cards *cards)
{
    count_rule(state, MF_SET_04);
    count_rule(state, MF_SET_06);
    count_rule(state, MF_SET_07);
    for (int card = 0; card < DECK; card++) {
        int number = card - CITY;
        if (card < cards->n_outsiders || (0 <= number && number < least(cards->n_cities, knobs->cities_in_deck))) {
            state->card_place[card] = IN_DECK;
            state->deck[state->deck_left] = card;
            state->deck_left++;
        } else {
            state->card_place[card] = REMOVED;
        }
    }
    for (int card = 0; card < cards->n_fate; card++) {
        if (card != cards->first_fate) {
            state->fate[state->fate_left] = card;
            state->fate_left++;
        }
    }
    for (int slot = 0; slot < SLOTS; slot++)
        state->queue[slot] = EMPTY;
    for (int space = 0; space < SPACES; space++)
        state->space[space] = EMPTY;
    for (int city = 0; city < MAX_CITIES; city++)
        state->support[city] = OFF_TRACK;
}

static void answer_choice(State *state, const Knobs *knobs, const Cards *cards, int option)
{
    if (state->about == ABOUT_TAG)
        reward_tag(state, cards, option);
    else if (state->about == ABOUT_PURGE_TRACK)
        lower_track(state, knobs, option == 0 ? UNREST : PRESSURE);
    else
        choose_half(state, knobs, cards, option);
}

static void answer(State *state, const Knobs *knobs, const Cards *cards, int option)
{
    int kind = state->decision;
    if (kind == DIE) {
        if (state->about == ABOUT_PURGE)
            execute_die(state, option);
        else
            use_die(state, knobs, cards, option);
    } else if (kind == COMMIT) {
        commit(state, knobs, cards, option);
    } else if (kind == CASUALTY) {
        if (state->about == ABOUT_CARD_COST) {
            execute_card(state, knobs, cards, option);
        } else {
            if (state->phase == FATE_PHASE)
                count_rule(state, MF_FAT_02);
            take_casualty(state, option);
        }
    } else if (kind == UNFED) {
        starve(state, option);
    } else if (kind == CHOICE) {
        answer_choice(state, knobs, cards, option);
    } else if (kind == PICK) {
        if (state->about == ABOUT_CITY)
            raise_support(state, knobs, option);
        else
            recover_die(state, option);
    } else if (kind == REPLACE) {
        replace_elder(state, option);
    } else {
        hold(state, option);
    }
}

static void next_step(State *state, const Knobs *knobs, const Cards *cards)
{
    int step = state->step;
    if (step == ACTION_STEP) {
        state->phase = ACTION_PHASE;
        next_action(state);
    } else if (step == NEGOTIATED_STEP) {
        discard_card(state, cards);
    } else if (step == RAIDED_STEP) {
        roll_for_raid(state, knobs, cards);
    } else if (step == FATE_STEP) {
        fate_phase(state, cards);
    } else if (step == UPKEEP_STEP) {
        food_upkeep(state, knobs);
    } else if (step == STARVE_STEP) {
        name_unfed(state, knobs);
    } else if (step == HUNGER_STEP) {
        pay_and_hunger(state, knobs);
    } else if (step == DRAW_STEP) {
        dice_draw(state, knobs);
    } else if (step == DECREE_STEP) {
        decree_phase(state, cards);
    } else if (step == SIEGE_STEP) {
        siege_phase(state, knobs);
    } else if (step == TRAITOR_STEP) {
        traitor_check(state, knobs);
    } else if (step == CLEANUP_STEP) {
        cleanup(state, knobs);
    } else if (step == HOLD_STEP) {
        choose_held(state);
    } else {
        end_turn(state, knobs, cards);
    }
}

static bool proceed(State *state, const Knobs *knobs, const Cards *cards, int parts)
{
    while (!state->over && parts != 0) {
        parts--;
        if (state->asking) {
            int64_t options = state->options;
            if (options == 0 || (options & (options - 1)) != 0)
                return false;
            state->asking = false;
            answer(state, knobs, cards, lowest_place(options));
        } else if (state->casualties > 0) {
            demand_casualty(state, knobs);
        } else if (state->recoveries > 0) {
            demand_recovery(state);
        } else if (state->pc != 0) {
            effect_step(state, knobs, cards);
        } else {
            next_step(state, knobs, cards);
        }
    }
    if (state->over)
        settle_score(state, knobs, cards);
    return true;
}

static void initial_state(State *state, const Knobs *knobs, const Cards *cards)
{
    count_rule(state, MF_SET_01);
    set_tracks(state, knobs);
    set_dice(state, knobs);
    set_cards(state, knobs, cards);
    count_rule(state, MF_SET_05);
    count_rule(state, MF_GEN_05);
    refill_queue(state, cards);
    state->step = FATE_STEP;
    proceed(state, knobs, cards, -1);
}

static void legal_actions(State *state, const Knobs *knobs, const Cards *cards)
{
    if (state->decision == ACTION) {
        offer_actions(state, knobs, cards);
        return;
    }
    int64_t left = state->options;
    while (left != 0) {
        offer(state, lowest_place(left));
        left &= left - 1;
    }
}

static void apply_action(State *state, const Knobs *knobs, const Cards *cards, int action)
{
    state->asking = false;
    if (state->decision == ACTION)
        begin_action(state, knobs, cards, action);
    else
        answer(state, knobs, cards, action);
    proceed(state, knobs, cards, -1);
}

/* --- Bots: policies/mighty_fortress.py ------------------------------------ */

static int best_of(int64_t options, int manner)
{
    int best = LEAST_LIKED;
    while (options != 0) {
        best = greatest(best, LIKED[manner][lowest_place(options)]);
        options &= options - 1;
    }
    return 63 - (best & 63);
}

static int lowest_pip(int64_t dice)
{
    return LOWEST_PIP[fold(dice & COLOURED)];
}

static int highest_pip(int64_t dice)
{
    return HIGHEST_PIP[fold(dice & COLOURED)];
}

static double weight(const State *state, int what, int whose)
{
    int grade = (what == FOOD) * ((state->food >= 12) + (state->food >= 25));
    grade += (what == MATERIALS) & (state->materials >= 6);
    grade += (what == DEFENSE) & (state->defense > 4);
    grade += (what == UNREST) & (state->unrest >= 5);
    return WEIGHTS[what][whose][grade];
}

static double straight_value(const State *state, const Knobs *knobs, const Cards *cards, int start, int whose)
{
    double total = 0.0;
    int at = start;
    for (;;) {
        int op = cards->code[at][0];
        int n = cards->code[at][2];
        if (op == END)
            return total;
        if (op == GAIN)
            total += n * weight(state, cards->code[at][1], whose);
        else if (op == REWARD_FOOD)
            total += greatest(n + knobs->food_reward_shift, 0) * weight(state, FOOD, whose);
        else if (op == SUPPORT_UP)
            total += 1.5;
        else if (op == SUPPORT_DOWN)
            total -= 1.5;
        else if (op == CASUALTY_OP)
            total -= 0.5 * n;
        else if (op == RECOVER_OP)
            total += 0.3 * n;
        else if (op == REQUIREMENT_OP)
            total -= 0.3 * n;
        at = op == JUMP || op == PAY_OP || op == CHOOSE_OP ? cards->code[at][3] : at + 1;
    }
}

static double first_half(const State *state, const Knobs *knobs, const Cards *cards, int asked, int whose)
{
    double worth = straight_value(state, knobs, cards, asked + 1, whose);
    if (cards->code[asked][0] == PAY_OP)
        worth -= cards->code[asked][2] * weight(state, cards->code[asked][1], whose);
    return worth;
}

static double value(const State *state, const Knobs *knobs, const Cards *cards, int start, int whose)
{
    int op;
    double total = 0.0;
    int at = start;
    for (;;) {
        op = cards->code[at][0];
        if (op == GAIN)
            total += cards->code[at][2] * weight(state, cards->code[at][1], whose);
        else if (op == REWARD_FOOD)
            total += greatest(cards->code[at][2] + knobs->food_reward_shift, 0) * weight(state, FOOD, whose);
        else
            break;
        at++;
    }
    if (op == END)
        return total;
    total = straight_value(state, knobs, cards, start, whose);
    if (op == CHOOSE_OP || op == PAY_OP) {
        double other = straight_value(state, knobs, cards, at, whose);
        double first = first_half(state, knobs, cards, at, whose);
        if (first > other)
            total += first - other;
    }
    return total;
}

static int die_to_commit(const State *state, int64_t options)
{
    int64_t purple = dice_of(options, PURPLE);
    if (state->doing < ADVANCE) {
        if (state->power == 0)
            return best_of(options, dice_of(options, BLUE) != 0 ? BLUE_FIRST : LOWEST);
    } else if (state->power_purple > 0) {
        return best_of(options, FILL);
    } else if (purple != 0) {
        return lowest_place(purple);
    }
    return best_of(options, state->blue_used || state->power_blue ? FILL : BLUE_FIRST);
}

static int half_to_choose(const State *state, const Knobs *knobs, const Cards *cards, int whose)
{
    double first;
    if (state->about == ABOUT_PURGE_TRACK)
        return (state->pressure > 0 && state->unrest < 6) || state->unrest == 0 ? 1 : 0;
    if (state->about == ABOUT_TAG) {
        int card = state->doing - EXECUTE_OUTSIDER;
        first = value(state, knobs, cards, cards->tag_program[cards->tag[card][0]], whose);
        return value(state, knobs, cards, cards->tag_program[cards->tag[card][1]], whose) > first ? 1 : 0;
    }
    int asked = state->pc - 1;
    double second = straight_value(state, knobs, cards, cards->code[asked][3], whose);
    first = first_half(state, knobs, cards, asked, whose);
    if (state->about == ABOUT_PAY)
        return first > second ? 0 : 1;
    return first >= second ? 0 : 1;
}

static int colour_to_recover(int64_t options)
{
    const int wanted[] = {BLUE, PURPLE, RED, YELLOW};
    for (int i = 0; i < 4; i++) {
        int colour = wanted[i];
        if (options & bit(colour))
            return colour;
    }
    return lowest_place(options);
}

static int die_for_action(const State *state, const Knobs *knobs, int64_t options)
{
    int action = state->doing;
    if (action == RATION)
        return best_of(options, HIGHEST);
    if (action == PATROL) {
        int64_t strong = options & COLOURED & AT_LEAST[knobs->patrol_strong_pip];
        return best_of(state->defense <= 3 && strong != 0 ? strong : options, LOWEST);
    }
    if (action == DECONSTRUCT)
        return best_of(options, MOST_MATERIALS);
    if (action == COUNTER_ENTRENCHMENT || action == COUNTER_BOMBARDMENT)
        return best_of(options, YELLOW_FIRST);
    if (action == EXECUTE_FOR_UNREST || action == EXECUTE_FOR_PRESSURE)
        return best_of(options, TO_EXECUTE);
    if (NEGOTIATE <= action && action < RAID) {
        bool saves = !state->yellow_used && negotiate_price(state, action - NEGOTIATE) > 0;
        return best_of(options, saves ? YELLOW_SECOND : PURPLE_FIRST);
    }
    if (RAID <= action && action < MOVE)
        return best_of(options, RED_FIRST);
    return best_of(options, LOWEST);
}

static int strongest_city(const State *state, int64_t options)
{
    int best = -1;
    while (options != 0) {
        int city = lowest_place(options);
        options &= options - 1;
        if (best < 0 || state->support[city] > state->support[best])
            best = city;
    }
    return best;
}

static int bot_answer(const State *state, const Knobs *knobs, const Cards *cards, int whose)
{
    int kind = state->decision;
    int64_t options = state->options;
    if (kind == DIE)
        return state->about == ABOUT_PURGE ? best_of(options, TO_EXECUTE) : die_for_action(state, knobs, options);
    if (kind == COMMIT)
        return die_to_commit(state, options);
    if (kind == CASUALTY)
        return best_of(options, TO_LOSE);
    if (kind == UNFED)
        return state->unfed_due > 0 ? best_of(options, TO_STARVE) : ALL_CLASSES;
    if (kind == CHOICE)
        return half_to_choose(state, knobs, cards, whose);
    if (kind == PICK) {
        if (state->about == ABOUT_CITY)
            return strongest_city(state, options);
        return colour_to_recover(options);
    }
    if (kind == HOLD)
        return best_of(options & COLOURED, HIGHEST);
    return lowest_place(options);
}

static int64_t mine(const State *state)
{
    return state->avail_mask & COLOURED;
}

static int purge(const State *state, int kept)
{
    if (state->avail_of[BLACK] <= kept)
        return -1;
    if (state->pressure > 0 && state->unrest < 6)
        return EXECUTE_FOR_PRESSURE;
    if (state->unrest > 0)
        return EXECUTE_FOR_UNREST;
    return -1;
}

static int bot_ration(const State *state, const Knobs *knobs, int64_t dice)
{
    if (state->ration_used || state->food >= least(36, knobs->food_max))
        return -1;
    return highest_pip(dice) - state->consumption + state->ability[RATION_AB] >= 1 ? RATION : -1;
}

static int bot_patrol(const State *state, double target)
{
    return !state->patrol_used && state->defense < target ? PATROL : -1;
}

static int bot_deconstruct(const State *state, double target)
{
    return !state->deconstruct_used && state->materials < target ? DECONSTRUCT : -1;
}

static int counter(const State *state, double least)
{
    return is_open(state, COUNTER_ENTRENCHMENT) && state->entrenchment >= least ? COUNTER_ENTRENCHMENT : -1;
}

static double card_score(const State *state, const Knobs *knobs, const Cards *cards, int card, int aim, int whose)
{
    if (aim == FOR_FOOD) {
        int food = cards->reward_gain[card][FOOD] + knobs->food_reward_shift;
        return food >= 2 && cards->reward_gain[card][FOOD] > 0 ? 0.6 * food : 0.0;
    }
    if (aim == FOR_CALM)
        return -1.2 * cards->reward_gain[card][UNREST];
    int rating = cards->rating[card];
    if (aim == FOR_STRENGTH) {
        if (rating == 0)
            return 0.0;
        return 1.2 * rating + 0.3 * value(state, knobs, cards, cards->reward[card], whose);
    }
    double bonus = card >= CITY ? 0.1 : 0.4 * rating;
    return bonus + value(state, knobs, cards, cards->reward[card], whose);
}

static double raid_worth(int64_t dice, int slot, double score)
{
    int64_t red = dice_of(dice, RED) & AT_LEAST[slot];
    if (red != 0)
        return score - 0.4 - 0.02 * lowest_pip(red);
    int64_t fitting = dice & AT_LEAST[slot + 1];
    return fitting != 0 ? score - 0.65 - 0.02 * lowest_pip(fitting) : -1.0;
}

static double negotiate_worth(const State *state, int64_t dice, int slot, double score)
{
    int price = negotiate_price(state, slot);
    int64_t fitting = dice & AT_LEAST[slot + 1];
    if (fitting == 0)
        return -1.0;
    int64_t payable = payable_dice(state, price, fitting);
    if (payable == 0)
        return -1.0;
    double worth = score - 0.3;
    int64_t purple = dice_of(payable, PURPLE);
    if (purple != 0)
        return worth + 0.5 - 0.25 * price - 0.02 * lowest_pip(purple);
    if (price > 0 && !state->yellow_used) {
        int64_t yellow = dice_of(payable, YELLOW);
        if (yellow != 0)
            return worth - 0.25 * (price - 1) - 0.02 * lowest_pip(yellow);
    }
    return worth - 0.25 * price - 0.02 * lowest_pip(payable);
}

static int target(const State *state, const Knobs *knobs, const Cards *cards, int64_t dice, int aim, int whose)
{
    int64_t negotiable = (state->legal_mask >> NEGOTIATE) & QUEUE;
    int64_t raidable = (state->legal_mask >> RAID) & QUEUE;
    int64_t left = negotiable | raidable;
    int best = -1;
    double best_worth = 0.0;
    while (left != 0) {
        double worth;
        int slot = lowest_place(left);
        left &= left - 1;
        double score = card_score(state, knobs, cards, state->queue[slot], aim, whose);
        if (score <= 0.0 || score + 0.5 - 0.3 <= best_worth)
            continue;
        if ((raidable >> slot) & 1) {
            worth = raid_worth(dice, slot, score);
            if (worth > best_worth) {
                best_worth = worth;
                best = RAID + slot;
            }
        }
        if ((negotiable >> slot) & 1) {
            worth = negotiate_worth(state, dice, slot, score);
            if (worth > best_worth) {
                best_worth = worth;
                best = NEGOTIATE + slot;
            }
        }
    }
    return best;
}

static int feed(const State *state, const Knobs *knobs, const Cards *cards, int64_t dice, double least, int whose)
{
    return state->food < least ? target(state, knobs, cards, dice, FOR_FOOD, whose) : -1;
}

static int weaken(const State *state, const Knobs *knobs, const Cards *cards, int64_t dice, int whose)
{
    if (state->siege_strength <= state->defense - 1)
        return -1;
    return target(state, knobs, cards, dice, FOR_STRENGTH, whose);
}

static int calm(const State *state, const Knobs *knobs, const Cards *cards, int64_t dice, double least, int whose)
{
    if (state->unrest < greatest(least, 1.0))
        return -1;
    int action = target(state, knobs, cards, dice, FOR_CALM, whose);
    return action >= 0 ? action : EXECUTE_FOR_UNREST;
}

static int seat(const State *state, const Knobs *knobs, int first, int second, int third)
{
    if ((taken_spaces(state) & EVERY_SPACE[knobs->council_free_spaces]) == EVERY_SPACE[knobs->council_free_spaces])
        return -1;
    const int wanted[] = {first, second, third};
    for (int i = 0; i < 3; i++) {
        int elder = wanted[i];
        if (is_open(state, SEAT + elder))
            return SEAT + elder;
    }
    return -1;
}

static bool is_wanted(const State *state, const Knobs *knobs, int what, int n, double food, int cohesion)
{
    switch (what) {
    case FOOD: return n > 0 && state->food < food + 5;
    case COHESION: return n > 0 && state->cohesion < cohesion;
    case DEFENSE: return n > 0 && state->defense < 5;
    case BOMBARDMENT: return n < 0 && state->bombardment >= 3;
    case ENTRENCHMENT: return n < 0 && state->entrenchment >= 1;
    case UNREST: return n < 0 && state->unrest > 0;
    case PRESSURE: return n < 0 && state->pressure > 0;
    case PIETY: return n > 0 && state->piety < 10;
    case INFLUENCE: return n > 0 && state->influence < 10;
    case LUXURIES: return n > 0 && state->luxuries < knobs->luxuries_max;
    default: return true;
    }
}

static bool of_use(const State *state, const Knobs *knobs, const Cards *cards, int elder, double food,
            int cohesion, int whose)
{
    int start = cards->elder_program[elder];
    int at = start;
    bool moves = false;
    while (cards->code[at][0] == GAIN) {
        moves = moves || is_wanted(state, knobs, cards->code[at][1], cards->code[at][2], food, cohesion);
        at++;
    }
    if (cards->code[at][0] == END && !moves)
        return false;
    double worth = straight_value(state, knobs, cards, start, whose);
    if (cards->elder_pays[elder] >= 0)
        worth -= cards->elder_price[elder] * weight(state, cards->elder_pays[elder], whose);
    return worth > 0.25;
}

static int elders(const State *state, const Knobs *knobs, const Cards *cards, double food, int cohesion, int whose)
{
    for (int space = 0; space < SPACES; space++) {
        int elder = state->space[space];
        if (elder == EMPTY || state->activated & bit(elder) || !can_activate(state, knobs, cards, space))
            continue;
        if (cards->elder_purges[elder] || of_use(state, knobs, cards, elder, food, cohesion, whose))
            return space < 3 ? ACTIVATE + space : ACTIVATE_FIFTH;
    }
    return -1;
}

static int dice_for(const State *state, const Knobs *knobs, const Cards *cards, int card)
{
    int need = resistance(knobs, cards, card) - convert_power(state);
    if (!state->blue_used && state->avail_of[BLUE] > 0)
        need--;
    return greatest(need, 1);
}

static double ability_worth(const Cards *cards, int card)
{
    int ability = cards->ability[card];
    if (ability < 0)
        return cards->once[card] != 0 ? 0.4 : 0.0;
    return ABILITY_WORTH[ability] * abs((int)cards->ability_n[card]);
}

static int bot_convert(const State *state, const Knobs *knobs, const Cards *cards, double least)
{
    double share = (double)(knobs->turn_limit - state->turn) / knobs->turn_limit;
    int best = -1;
    double best_score = least;
    int64_t left = (state->legal_mask >> CONVERT) & QUEUE;
    while (left != 0) {
        int slot = lowest_place(left);
        left &= left - 1;
        int card = state->queue[slot];
        int need = dice_for(state, knobs, cards, card);
        double score = (cards->vp[card] + ability_worth(cards, card) * share + 0.3 * cards->rating[card]) / need;
        if (score >= best_score) {
            best_score = score;
            best = CONVERT + slot;
        }
    }
    return best;
}

static int builder(State *state, const Knobs *knobs, const Cards *cards, const double *traits)
{
    if (state->decision != ACTION)
        return bot_answer(state, knobs, cards, USUAL);
    int action = purge(state, 0);
    if (action >= 0)
        return action;
    int64_t dice = mine(state);
    if (dice == 0)
        return END_PHASE;
    action = bot_ration(state, knobs, dice);
    if (action < 0)
        action = bot_patrol(state, traits[0]);
    if (action < 0)
        action = calm(state, knobs, cards, dice, traits[1], USUAL);
    if (action < 0)
        action = feed(state, knobs, cards, dice, traits[2], USUAL);
    if (action < 0)
        action = bot_convert(state, knobs, cards, traits[5]);
    if (action < 0)
        action = bot_deconstruct(state, traits[3]);
    if (action < 0)
        action = counter(state, traits[4]);
    if (action < 0)
        action = weaken(state, knobs, cards, dice, USUAL);
    if (action < 0)
        action = seat(state, knobs, 6, 2, 9);
    if (action < 0)
        action = elders(state, knobs, cards, traits[2], 4, USUAL);
    if (action < 0)
        action = target(state, knobs, cards, dice, FOR_ANYTHING, USUAL);
    return greatest(action, END_PHASE);
}

static Bot *bot_named(const char *name)
{
    static const Known known[] = {{"random", random_legal}, {"builder", builder}};
    return find_bot(known, sizeof known / sizeof *known, name);
}

static const char *pairs(void) { return "random\nbuilder"; }
