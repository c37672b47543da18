/* Simple Siege in C: the same program as simlab/games/simple_siege/rules.py, function by function, to measure the
 * compiled Python against. Same records, same Philox streams, same rule counters, same bots, so that every game
 * comes out the same, bit for bit. What each rule means stands in rules.py; here only its ID.
 */

#include "lab.h"

enum { BESIEGER, BESIEGED };
enum { NONE = -1, ASSAULT, SURRENDER, ABANDON };
enum { SPADES, HEARTS, DIAMONDS, CLUBS };
enum { COUNTERS = 9, FATE_STEPS = 4 };
enum {
    BESIEGER_ACTS, ASSAULT_SIZE, BESIEGED_DEFENDS, PLAN_PICK, BESIEGED_ACTS, BESIEGER_DEFENDS, DESTROY, PLAN_MENU
};
enum { BESIEGE, BGR_PLAN, BOMBARD_WALLS, BOMBARD_ENEMY, STORM, RESUPPLY, CONSTRUCT };
enum { WAIT, REPAIR, BGD_PLAN, SALLY_EQUIPMENT, SALLY_ENEMY, RATIONING };
enum { MINE, TOWER, LADDERS, TREBUCHET, CATAPULT, AMMUNITION, CAMP_1, CAMP_2, CAMP_3 };
enum { ASSAULT_GROUP, BOMBARD_GROUP, CAMP_GROUP };
enum { RED, BLACK };
enum { MILL = 1, MILL_UNTIL = 2 };

static int least(int a, int b) { return a < b ? a : b; }
static int greatest(int a, int b) { return a > b ? a : b; }

/* --- The end ---------------------------------------------------------------- */

static void finish(State *state, int winner, int ending)
{
    count_rule(state, SS_TRN_05);
    state->over = true;
    state->winner = (int8_t)winner;
    state->ending = (int8_t)ending;
}

static void lose(State *state, int side)
{
    if (state->deck_len[1 - side] == 0)
        count_rule(state, SS_END_04);
    if (side == BESIEGED) {
        count_rule(state, SS_END_02);
        finish(state, BESIEGER, SURRENDER);
    } else {
        count_rule(state, SS_END_03);
        finish(state, BESIEGED, ABANDON);
    }
}

/* --- Cards and decks -------------------------------------------------------- */

static bool is_red(int card)
{
    int suit = card / 10;
    return suit == HEARTS || suit == DIAMONDS;
}

static int card_value(State *state, const Knobs *knobs, int card)
{
    int value = card % 10 + 1;
    if (value == 1) {
        count_rule(state, SS_SET_03);
        if (knobs->ace_value == 1)
            value = 11;
    }
    return value;
}

static void dissolve_batch(State *state, int side)
{
    state->main_low[side] -= state->batch_len[side][0];
    state->batches[side]--;
    for (int i = 0; i < state->batches[side]; i++)
        state->batch_len[side][i] = state->batch_len[side][i + 1];
}

static void fix_places(State *state, int side, int places)
{
    for (int above = state->ordered[side]; above < places; above++) {
        int high = state->deck_len[side] - above;
        if (high == state->main_low[side])
            dissolve_batch(state, side);
        int low = state->main_low[side];
        int place = low + below(state, STREAM_BESIEGER_DECK + side, high - low);
        int8_t card = state->deck[side][place];
        state->deck[side][place] = state->deck[side][high - 1];
        state->deck[side][high - 1] = card;
        state->ordered[side] = (int16_t)(above + 1);
    }
}

static int deck_top(State *state, int side)
{
    count_rule(state, SS_DCK_01);
    fix_places(state, side, 1);
    state->deck_len[side]--;
    state->ordered[side]--;
    if (state->known_top[side] > 0)
        state->known_top[side]--;
    if (state->deck_len[side] == 0)
        count_rule(state, SS_DCK_04);
    return state->deck[side][state->deck_len[side]];
}

static void lay_down(State *state, int side, int card)
{
    state->pile[side][state->pile_len[side]] = (int8_t)card;
    state->pile_len[side]++;
}

static int take(State *state, int side)
{
    if (state->deck_len[side] == 0) {
        count_rule(state, SS_DCK_02);
        if (state->pile_len[side] > 0)
            count_rule(state, SS_DCK_06);
        lose(state, side);
        return -1;
    }
    int card = deck_top(state, side);
    lay_down(state, side, card);
    return card;
}

static void pay(State *state, int side, int number)
{
    for (int i = 0; i < number; i++)
        take(state, side);
}

static void suffer(State *state, const Knobs *knobs, int side, int number)
{
    if (number > 1)
        count_rule(state, SS_DCK_03);
    for (int i = 0; i < number; i++) {
        if (state->deck_len[side] == 0 && knobs->forced_discard_shortfall == 1)
            return;
        if (take(state, side) < 0)
            return;
    }
}

/* --- 3. Fate ---------------------------------------------------------------- */

static void fate_step(State *state, const Knobs *knobs, const Cards *cards, int kind, int step)
{
    int side = (int)cards->fate_steps[kind][step][1];
    int number = (int)cards->fate_steps[kind][step][2];
    if (cards->fate_steps[kind][step][0] == MILL) {
        count_rule(state, side == BESIEGED ? SS_FAT_02 : SS_FAT_03);
        suffer(state, knobs, side, number);
        return;
    }
    count_rule(state, side == BESIEGED ? SS_FAT_04 : SS_FAT_05);
    for (;;) {
        if (state->deck_len[side] == 0) {
            count_rule(state, SS_FAT_06);
            if (knobs->joker_exhaust == 0)
                take(state, side);
            return;
        }
        if (is_red(take(state, side)) == (number == RED))
            return;
    }
}

static void turn_fate(State *state, const Knobs *knobs, const Cards *cards)
{
    count_rule(state, SS_FAT_01);
    if (state->deck_len[BESIEGER] == 0 || state->deck_len[BESIEGED] == 0)
        count_rule(state, SS_FAT_10);
    int place = below(state, STREAM_FATE, state->fate_left);
    state->fate_left--;
    int kind = state->fate[place];
    state->fate[place] = state->fate[state->fate_left];
    state->fate[state->fate_left] = (int8_t)kind;
    state->fate_card = (int8_t)kind;
    state->fate_seen[cards->fate_colour[kind]]++;
    if (cards->fate_joker[kind])
        count_rule(state, SS_FAT_07);
    state->fate_phase = cards->fate_joker[kind] ? 2 : 1;
    for (int step = 0; step < FATE_STEPS; step++)
        if (cards->fate_steps[kind][step][0] != 0 && !state->over)
            fate_step(state, knobs, cards, kind, step);
    if (state->over)
        return;
    state->fate_phase = 0;
    if (state->fate_seen[0] >= knobs->fate_reset_count || state->fate_seen[1] >= knobs->fate_reset_count
        || state->fate_left == 0) {
        count_rule(state, SS_FAT_08);
        count_rule(state, SS_FAT_09);
        state->fate_left = state->fate_len;
        state->fate_seen[0] = 0;
        state->fate_seen[1] = 0;
    }
}

/* --- The turn --------------------------------------------------------------- */

static bool a_counter_is_too_dear(const State *state, int cards_left)
{
    for (int counter = 0; counter < COUNTERS; counter++)
        if (!state->built[counter] && state->modifier[counter] > 0 && state->price[counter] > cards_left)
            return true;
    return false;
}

static void begin_besieger(State *state, const Knobs *knobs)
{
    count_rule(state, SS_TRN_01);
    state->seat = BESIEGER;
    state->decision = BESIEGER_ACTS;
    int cards_left = state->deck_len[BESIEGER];
    if (cards_left == 0) {
        count_rule(state, SS_TRN_04);
        take(state, BESIEGER);
        return;
    }
    if (cards_left < knobs->assault_entry_cost + 1
        || (cards_left < state->dearest && a_counter_is_too_dear(state, cards_left)))
        count_rule(state, SS_TRN_03);
    if (state->walls <= knobs->walls_floor)
        count_rule(state, SS_WAL_02);
    if (state->walls == 0)
        count_rule(state, SS_WAL_03);
}

static void begin_besieged(State *state, const Knobs *knobs)
{
    state->seat = BESIEGED;
    state->decision = BESIEGED_ACTS;
    if (state->deck_len[BESIEGED] == 0) {
        count_rule(state, SS_TRN_04);
        take(state, BESIEGED);
        return;
    }
    if (state->walls >= knobs->walls_max)
        count_rule(state, SS_WAL_02);
    else if (state->deck_len[BESIEGED] < knobs->repair_cost)
        count_rule(state, SS_TRN_03);
}

static void end_action(State *state, const Knobs *knobs, const Cards *cards, int side)
{
    if (state->over)
        return;
    if (side == BESIEGER) {
        begin_besieged(state, knobs);
        return;
    }
    turn_fate(state, knobs, cards);
    if (!state->over) {
        count_rule(state, SS_TRN_06);
        state->turn++;
        begin_besieger(state, knobs);
    }
}

/* --- Set-up ----------------------------------------------------------------- */

static void set_up_deck(State *state, const Knobs *knobs, int side)
{
    count_rule(state, SS_SET_02);
    int size = 0;
    for (int suit = 0; suit < 4; suit++)
        for (int value = 0; value < knobs->max_rank; value++)
            state->deck[side][size++] = (int8_t)(suit * 10 + value);
    state->deck_len[side] = (int16_t)size;
}

static void set_up_fate(State *state, const Knobs *knobs, const Cards *cards)
{
    count_rule(state, SS_SET_04);
    int sets = 1 + (int)knobs->fate_sets;
    if (sets == 1)
        count_rule(state, SS_SET_05);
    int size = 0;
    for (int kind = 0; kind < cards->fate_kinds; kind++)
        if (knobs->fate_jokers || !cards->fate_joker[kind])
            for (int copy = 0; copy < sets * cards->fate_copies[kind]; copy++)
                state->fate[size++] = (int8_t)kind;
    state->fate_len = (int16_t)size;
    state->fate_left = (int16_t)size;
    state->fate_card = -1;
}

static void set_up_counters(State *state, const Knobs *knobs)
{
    count_rule(state, SS_SET_06);
    state->modifier[MINE] = (int16_t)knobs->mod_mine;
    state->modifier[TOWER] = (int16_t)knobs->mod_tower;
    state->modifier[LADDERS] = (int16_t)knobs->mod_ladders;
    state->modifier[TREBUCHET] = (int16_t)knobs->mod_trebuchet;
    state->modifier[CATAPULT] = (int16_t)knobs->mod_catapult;
    state->modifier[AMMUNITION] = (int16_t)knobs->mod_ammunition;
    state->modifier[CAMP_1] = (int16_t)knobs->mod_camp1;
    state->modifier[CAMP_2] = (int16_t)knobs->mod_camp2;
    state->modifier[CAMP_3] = (int16_t)knobs->mod_camp3;
    state->price[MINE] = (int16_t)knobs->cost_mine;
    state->price[TOWER] = (int16_t)knobs->cost_tower;
    state->price[LADDERS] = (int16_t)knobs->cost_ladders;
    state->price[TREBUCHET] = (int16_t)knobs->cost_trebuchet;
    state->price[CATAPULT] = (int16_t)knobs->cost_catapult;
    state->price[AMMUNITION] = (int16_t)knobs->cost_ammunition;
    state->price[CAMP_1] = (int16_t)knobs->cost_camp1;
    state->price[CAMP_2] = (int16_t)knobs->cost_camp2;
    state->price[CAMP_3] = (int16_t)knobs->cost_camp3;
    for (int counter = 0; counter < COUNTERS; counter++) {
        if (knobs->equipment_cost_model == 0)
            state->price[counter] = state->modifier[counter];
        else if (knobs->equipment_cost_model == 1)
            state->price[counter] = (int16_t)(state->modifier[counter] + 1);
        else if (knobs->equipment_cost_model == 2)
            state->price[counter] = (int16_t)(2 * state->modifier[counter]);
        if (state->price[counter] < 1)
            state->price[counter] = 1;
        if (state->price[counter] > state->dearest)
            state->dearest = state->price[counter];
    }
}

static void initial_state(State *state, const Knobs *knobs, const Cards *cards)
{
    count_rule(state, SS_SET_01);
    set_up_deck(state, knobs, BESIEGER);
    set_up_deck(state, knobs, BESIEGED);
    set_up_fate(state, knobs, cards);
    set_up_counters(state, knobs);
    state->walls = (int16_t)knobs->walls_start;
    count_rule(state, SS_SET_07);
    count_rule(state, SS_SET_08);
    count_rule(state, SS_SET_09);
    state->winner = -1;
    state->attacker = -1;
    state->ending = NONE;
    state->turn = 1;
    begin_besieger(state, knobs);
}

/* --- Legal actions ---------------------------------------------------------- */

static int most_defenders(const State *state, const Knobs *knobs)
{
    return state->contest == STORM && state->seat == BESIEGED ? (int)knobs->assault_max_cards : 1;
}

static bool like_one_below(const State *state, const Cards *cards, int counter, int built)
{
    if (cards->group[counter] != CAMP_GROUP || counter < CAMP_1)
        return false;
    for (int other = CAMP_1; other < counter; other++)
        if (state->built[other] == built && cards->group[other] == CAMP_GROUP
            && state->modifier[other] == state->modifier[counter] && state->price[other] == state->price[counter])
            return true;
    return false;
}

static void offer_besieger_actions(State *state, const Knobs *knobs, const Cards *cards)
{
    int left = state->deck_len[BESIEGER];
    offer(state, BESIEGE);
    offer(state, BGR_PLAN);
    if (state->walls > knobs->walls_floor)
        offer(state, BOMBARD_WALLS);
    offer(state, BOMBARD_ENEMY);
    if (left >= knobs->assault_entry_cost + 1)
        offer(state, STORM);
    offer(state, RESUPPLY);
    for (int counter = 0; counter < COUNTERS; counter++)
        if (!state->built[counter] && state->modifier[counter] > 0 && state->price[counter] <= left
            && !like_one_below(state, cards, counter, 0))
            offer(state, CONSTRUCT + counter);
}

static void offer_besieged_actions(State *state, const Knobs *knobs)
{
    offer(state, WAIT);
    if (state->walls < knobs->walls_max && state->deck_len[BESIEGED] >= knobs->repair_cost)
        offer(state, REPAIR);
    offer(state, BGD_PLAN);
    for (int counter = 0; counter < COUNTERS; counter++)
        if (state->built[counter]) {
            offer(state, SALLY_EQUIPMENT);
            break;
        }
    offer(state, SALLY_ENEMY);
    offer(state, RATIONING);
}

static void legal_actions(State *state, const Knobs *knobs, const Cards *cards)
{
    if (state->decision == BESIEGER_ACTS) {
        offer_besieger_actions(state, knobs, cards);
    } else if (state->decision == BESIEGED_ACTS) {
        offer_besieged_actions(state, knobs);
    } else if (state->decision == ASSAULT_SIZE) {
        int sizes = least((int)knobs->assault_max_cards, state->deck_len[BESIEGER]);
        for (int size = 0; size < sizes; size++)
            offer(state, size);
    } else if (state->decision == BESIEGED_DEFENDS) {
        int most = least(most_defenders(state, knobs), state->deck_len[BESIEGED]);
        for (int number = 0; number <= most; number++)
            offer(state, number);
    } else if (state->decision == BESIEGER_DEFENDS) {
        int most = least(most_defenders(state, knobs), state->deck_len[BESIEGER]);
        for (int number = 0; number <= most; number++)
            offer(state, number);
    } else if (state->decision == PLAN_PICK) {
        for (int place = 0; place < state->plan_cards - state->plan_placed; place++)
            offer(state, place);
    } else if (state->decision == PLAN_MENU) {
        for (int order = 0; order < 5; order++)
            offer(state, order);
    } else if (state->decision == DESTROY) {
        for (int counter = 0; counter < COUNTERS; counter++)
            if (state->built[counter] && !like_one_below(state, cards, counter, 1))
                offer(state, counter);
    }
}

/* --- Contests: Bombard, Assault and Sally ----------------------------------- */

static void draw_aside(State *state, int side, int number)
{
    for (int i = 0; i < number; i++) {
        int card = deck_top(state, side);
        state->aside[side][state->aside_len[side]] = (int8_t)card;
        state->aside_len[side]++;
    }
}

static void attack(State *state, const Knobs *knobs, int attacker, int number, int action)
{
    count_rule(state, SS_CON_01);
    state->contest = (int8_t)action;
    state->attacker = (int8_t)attacker;
    state->attack_score = -1;
    draw_aside(state, attacker, number);
    int defender = 1 - attacker;
    state->seat = (int8_t)defender;
    state->decision = defender == BESIEGED ? BESIEGED_DEFENDS : BESIEGER_DEFENDS;
    if (state->deck_len[defender] < most_defenders(state, knobs))
        count_rule(state, SS_DCK_05);
}

static int cards_aside(State *state, const Knobs *knobs, int side)
{
    int total = 0;
    for (int i = 0; i < state->aside_len[side]; i++)
        total += card_value(state, knobs, state->aside[side][i]);
    return total;
}

static int strength(State *state, const Cards *cards, int group)
{
    int total = 0;
    int number = 0;
    for (int counter = 0; counter < COUNTERS; counter++)
        if (state->built[counter] && cards->group[counter] == group) {
            total += state->modifier[counter];
            number++;
        }
    if (number > 0) {
        count_rule(state, SS_EQP_04);
        count_rule(state, SS_EQP_08);
    }
    if (number > 1)
        count_rule(state, SS_EQP_05);
    return total;
}

static bool attack_succeeds(State *state, const Knobs *knobs, const Cards *cards, int attacker)
{
    count_rule(state, SS_CON_04);
    int defender = 1 - attacker;
    int attack_score = cards_aside(state, knobs, attacker);
    int fixed;
    if (attacker == BESIEGER) {
        attack_score += strength(state, cards, state->contest == STORM ? ASSAULT_GROUP : BOMBARD_GROUP);
        fixed = state->walls;
    } else {
        fixed = strength(state, cards, CAMP_GROUP);
    }
    int defence_score = cards_aside(state, knobs, defender);
    if (state->aside_len[defender] > 0 || knobs->static_defence_when_declining) {
        defence_score += fixed;
        if (fixed > 0 && attacker == BESIEGER)
            count_rule(state, SS_WAL_01);
        if (fixed > 0 && state->aside_len[defender] == 0)
            count_rule(state, SS_CON_05);
    }
    state->attack_score = (int16_t)attack_score;
    state->defence_score = (int16_t)defence_score;
    if (attack_score == defence_score)
        count_rule(state, SS_CON_06);
    return attack_score > defence_score;
}

static void settle_bombard_walls(State *state, const Knobs *knobs, bool won)
{
    if (won) {
        state->bombards_won++;
        if (state->walls - knobs->wall_damage < knobs->walls_floor)
            count_rule(state, SS_WAL_02);
        state->walls = (int16_t)greatest(state->walls - (int)knobs->wall_damage, (int)knobs->walls_floor);
    }
}

static void settle_bombard_enemy(State *state, const Knobs *knobs, bool won)
{
    if (won) {
        state->bombards_won++;
        suffer(state, knobs, BESIEGED, (int)knobs->bombard_penalty);
    }
}

static void settle_assault(State *state, const Knobs *knobs, bool won)
{
    if (won) {
        count_rule(state, SS_BGR_09);
        count_rule(state, SS_END_01);
        finish(state, BESIEGER, ASSAULT);
    } else {
        count_rule(state, SS_BGR_10);
        suffer(state, knobs, BESIEGER, (int)knobs->assault_fail_cost);
    }
}

static void end_contest(State *state, const Knobs *knobs, const Cards *cards, int attacker)
{
    if (state->over)
        return;
    count_rule(state, SS_CON_07);
    count_rule(state, SS_DCK_07);
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < state->aside_len[side]; i++)
            lay_down(state, side, state->aside[side][i]);
        state->aside_len[side] = 0;
    }
    end_action(state, knobs, cards, attacker);
}

static void defend(State *state, const Knobs *knobs, const Cards *cards, int number)
{
    count_rule(state, SS_CON_02);
    count_rule(state, SS_CON_03);
    int defender = state->seat;
    draw_aside(state, defender, number);
    int attacker = 1 - defender;
    bool won = attack_succeeds(state, knobs, cards, attacker);
    if (attacker == BESIEGER) {
        if (state->contest == STORM)
            settle_assault(state, knobs, won);
        else if (state->contest == BOMBARD_WALLS)
            settle_bombard_walls(state, knobs, won);
        else
            settle_bombard_enemy(state, knobs, won);
    } else {
        count_rule(state, SS_BGD_08);
        if (won && state->contest == SALLY_EQUIPMENT) {
            state->sallies_won++;
            state->seat = BESIEGED;
            state->decision = DESTROY;
            return;
        }
        if (won) {
            state->sallies_won++;
            suffer(state, knobs, BESIEGER, (int)knobs->sally_penalty);
        }
    }
    end_contest(state, knobs, cards, attacker);
}

/* --- Plan ------------------------------------------------------------------- */

static void plan(State *state, const Knobs *knobs, const Cards *cards, int side)
{
    count_rule(state, SS_PLN_01);
    int value = card_value(state, knobs, take(state, side));
    int left = state->deck_len[side];
    if (value > left && knobs->plan_short_deck == 1) {
        count_rule(state, SS_DCK_02);
        lose(state, side);
        return;
    }
    count_rule(state, SS_PLN_02);
    int looked = least(value, left);
    fix_places(state, side, looked);
    if (looked > 0) {
        count_rule(state, SS_PLN_03);
        count_rule(state, SS_PLN_04);
    }
    if (looked > state->known_top[side])
        state->known_top[side] = (int16_t)looked;
    state->plan_cards = (int8_t)looked;
    state->plan_placed = 0;
    if (looked < 2) {
        count_rule(state, SS_PLN_05);
        end_action(state, knobs, cards, side);
    } else if (knobs->plan_mode == 1) {
        state->decision = PLAN_MENU;
    } else {
        state->decision = PLAN_PICK;
    }
}

static void bring_up(State *state, int side, int place, int top)
{
    int8_t card = state->deck[side][place];
    for (int i = place; i < top; i++)
        state->deck[side][i] = state->deck[side][i + 1];
    state->deck[side][top] = card;
}

static void plan_pick(State *state, const Knobs *knobs, const Cards *cards, int pick)
{
    int side = state->seat;
    int top = state->deck_len[side] - 1 - state->plan_placed;
    bring_up(state, side, top - pick, top);
    state->plan_placed++;
    if (state->plan_placed == state->plan_cards - 1)
        end_action(state, knobs, cards, side);
}

static int menu_pick(const State *state, const Knobs *knobs, int side, int order)
{
    int placed = state->plan_placed;
    int top = state->deck_len[side] - 1 - placed;
    int best = 0;
    int best_rank = 0;
    for (int pick = 0; pick < state->plan_cards - placed; pick++) {
        int card = state->deck[side][top - pick];
        int value = card % 10 + 1;
        int rank;
        if (value == 1 && knobs->ace_value == 1)
            value = 11;
        if (order == 1)
            rank = -value;
        else if (order == 2)
            rank = value;
        else if (order == 3)
            rank = 1 <= placed && placed <= 3 ? value : -value;
        else
            rank = card / 10 == HEARTS ? 100 + value : -value;
        if (pick == 0 || rank > best_rank) {
            best = pick;
            best_rank = rank;
        }
    }
    return best;
}

static void plan_menu(State *state, const Knobs *knobs, const Cards *cards, int order)
{
    int side = state->seat;
    if (order > 0)
        for (int placed = 0; placed < state->plan_cards - 1; placed++) {
            state->plan_placed = (int8_t)placed;
            int pick = menu_pick(state, knobs, side, order);
            int top = state->deck_len[side] - 1 - placed;
            bring_up(state, side, top - pick, top);
        }
    end_action(state, knobs, cards, side);
}

/* --- Resupply and Rationing ------------------------------------------------- */

static void recover(State *state, const Knobs *knobs, int side, int value)
{
    count_rule(state, SS_RES_02);
    int trigger = state->pile_len[side] - 1;
    int last = 0;
    if (knobs->resupply_reading == 1)
        last = greatest(trigger - value, 0);
    int number = 0;
    for (int place = trigger - 1; place >= last; place--)
        if (number < value && !is_red(state->pile[side][place]))
            number++;
    if (trigger < value || (number < value && knobs->resupply_reading == 0))
        count_rule(state, SS_RES_05);
    if (number == 0)
        return;
    count_rule(state, SS_RES_04);
    for (int place = state->deck_len[side] - 1; place >= 0; place--)
        state->deck[side][place + number] = state->deck[side][place];
    int taken = 0;
    int place = trigger - 1;
    while (taken < number) {
        int8_t card = state->pile[side][place];
        if (!is_red(card)) {
            state->deck[side][taken++] = card;
            for (int above = place; above < state->pile_len[side] - 1; above++)
                state->pile[side][above] = state->pile[side][above + 1];
            state->pile_len[side]--;
        }
        place--;
    }
    state->deck_len[side] += (int16_t)number;
    state->main_low[side] += (int16_t)number;
    state->batch_len[side][state->batches[side]] = (int8_t)number;
    state->batches[side]++;
    state->recovered += (int16_t)number;
}

static void resupply(State *state, const Knobs *knobs, const Cards *cards, int side)
{
    count_rule(state, SS_RES_01);
    int card = take(state, side);
    int suit = card / 10;
    if (suit == HEARTS || (suit == DIAMONDS && knobs->resupply_suits == 1)) {
        count_rule(state, SS_RES_03);
        count_rule(state, SS_RES_06);
        recover(state, knobs, side, card_value(state, knobs, card));
    }
    end_action(state, knobs, cards, side);
}

/* --- 1. Besieger's actions -------------------------------------------------- */

static void construct(State *state, const Knobs *knobs, const Cards *cards, int counter)
{
    count_rule(state, SS_BGR_02);
    count_rule(state, SS_EQP_01);
    count_rule(state, SS_EQP_02);
    count_rule(state, SS_EQP_06);
    count_rule(state, SS_EQP_09);
    if (counter == MINE || counter == AMMUNITION || counter == CAMP_3)
        count_rule(state, SS_EQP_03);
    pay(state, BESIEGER, state->price[counter]);
    if (state->deck_len[BESIEGER] == 0)
        count_rule(state, SS_EQP_10);
    state->built[counter] = 1;
    state->constructed++;
    end_action(state, knobs, cards, BESIEGER);
}

static void enter_assault(State *state, const Knobs *knobs)
{
    count_rule(state, SS_BGR_06);
    state->assaults++;
    pay(state, BESIEGER, (int)knobs->assault_entry_cost);
    state->seat = BESIEGER;
    state->decision = ASSAULT_SIZE;
}

static void throw_assault(State *state, const Knobs *knobs, int number)
{
    count_rule(state, SS_BGR_07);
    count_rule(state, SS_BGR_08);
    attack(state, knobs, BESIEGER, number, STORM);
}

static void besieger_action(State *state, const Knobs *knobs, const Cards *cards, int action)
{
    count_rule(state, SS_TRN_02);
    if (action == BESIEGE) {
        count_rule(state, SS_BGR_01);
        pay(state, BESIEGER, 1);
        end_action(state, knobs, cards, BESIEGER);
    } else if (action == BGR_PLAN) {
        count_rule(state, SS_BGR_03);
        plan(state, knobs, cards, BESIEGER);
    } else if (action == BOMBARD_WALLS) {
        count_rule(state, SS_BGR_04);
        attack(state, knobs, BESIEGER, 1, action);
    } else if (action == BOMBARD_ENEMY) {
        count_rule(state, SS_BGR_05);
        attack(state, knobs, BESIEGER, 1, action);
    } else if (action == STORM) {
        enter_assault(state, knobs);
    } else if (action == RESUPPLY) {
        count_rule(state, SS_BGR_11);
        resupply(state, knobs, cards, BESIEGER);
    } else {
        construct(state, knobs, cards, action - CONSTRUCT);
    }
}

/* --- 2. Besieged's actions -------------------------------------------------- */

static void repair(State *state, const Knobs *knobs, const Cards *cards)
{
    count_rule(state, SS_BGD_02);
    pay(state, BESIEGED, (int)knobs->repair_cost);
    state->repairs++;
    if (state->walls + knobs->repair_gain > knobs->walls_max)
        count_rule(state, SS_WAL_02);
    state->walls = (int16_t)least(state->walls + (int)knobs->repair_gain, (int)knobs->walls_max);
    end_action(state, knobs, cards, BESIEGED);
}

static void destroy(State *state, const Knobs *knobs, const Cards *cards, int counter)
{
    count_rule(state, SS_BGD_05);
    count_rule(state, SS_EQP_07);
    state->built[counter] = 0;
    state->destroyed++;
    end_contest(state, knobs, cards, BESIEGED);
}

static void besieged_action(State *state, const Knobs *knobs, const Cards *cards, int action)
{
    count_rule(state, SS_TRN_02);
    if (action == WAIT) {
        count_rule(state, SS_BGD_01);
        pay(state, BESIEGED, 1);
        end_action(state, knobs, cards, BESIEGED);
    } else if (action == REPAIR) {
        repair(state, knobs, cards);
    } else if (action == BGD_PLAN) {
        count_rule(state, SS_BGD_03);
        plan(state, knobs, cards, BESIEGED);
    } else if (action == SALLY_EQUIPMENT) {
        count_rule(state, SS_BGD_04);
        attack(state, knobs, BESIEGED, 1, action);
    } else if (action == SALLY_ENEMY) {
        count_rule(state, SS_BGD_06);
        attack(state, knobs, BESIEGED, 1, action);
    } else if (action == RATIONING) {
        count_rule(state, SS_BGD_07);
        resupply(state, knobs, cards, BESIEGED);
    }
}

static void apply_action(State *state, const Knobs *knobs, const Cards *cards, int action)
{
    if (state->decision == BESIEGER_ACTS)
        besieger_action(state, knobs, cards, action);
    else if (state->decision == BESIEGED_ACTS)
        besieged_action(state, knobs, cards, action);
    else if (state->decision == ASSAULT_SIZE)
        throw_assault(state, knobs, action + 1);
    else if (state->decision == BESIEGED_DEFENDS || state->decision == BESIEGER_DEFENDS)
        defend(state, knobs, cards, action);
    else if (state->decision == PLAN_PICK)
        plan_pick(state, knobs, cards, action);
    else if (state->decision == PLAN_MENU)
        plan_menu(state, knobs, cards, action);
    else
        destroy(state, knobs, cards, action);
}

/* --- The row of a game ------------------------------------------------------ */

static void outcome(const State *state, const Knobs *knobs, const Cards *cards, Row *row)
{
    (void)knobs, (void)cards;
    row->winner = state->winner;
    row->winners = (uint16_t)(1 << state->winner);
    row->ending = state->ending;
    row->turns = state->turn;
    row->walls_end = state->walls;
    row->assaults = state->assaults;
    row->bombards_won = state->bombards_won;
    row->sallies_won = state->sallies_won;
    row->constructed = state->constructed;
    row->destroyed = state->destroyed;
    row->repairs = state->repairs;
    row->recovered = state->recovered;
    row->besieger_cards = state->deck_len[BESIEGER];
    row->besieged_cards = state->deck_len[BESIEGED];
    row->ended_by_fate = state->fate_phase;
}

/* --- Bots: policies/common.py, policies/simple_siege.py --------------------- */

enum { MOST = 5, SUMS = 56 };
static int64_t ways[2][11][MOST + 1][SUMS];
static int64_t at_most[2][11][MOST + 1][SUMS];
static const double SLACK = 1e-12;

static void make_tables(void)
{
    for (int ace = 0; ace < 2; ace++)
        for (int top = 6; top <= 10; top++) {
            ways[ace][top][0][0] = 1;
            for (int number = 1; number <= MOST; number++)
                for (int rank = 1; rank <= top; rank++) {
                    int value = rank == 1 && ace ? 11 : rank;
                    for (int sum = value; sum < SUMS; sum++)
                        ways[ace][top][number][sum] += ways[ace][top][number - 1][sum - value];
                }
            for (int number = 0; number <= MOST; number++) {
                int64_t total = 0;
                for (int sum = 0; sum < SUMS; sum++)
                    at_most[ace][top][number][sum] = total += ways[ace][top][number][sum];
            }
        }
}

static double chance(const Knobs *knobs, int attackers, int defenders, int ahead)
{
    int ace = (int)knobs->ace_value, top = (int)knobs->max_rank;
    int highest = attackers * (ace ? 11 : top);
    int64_t good = 0;
    for (int total = attackers > 1 - ahead ? attackers : 1 - ahead; total <= highest; total++)
        good += ways[ace][top][attackers][total] * at_most[ace][top][defenders][least(total + ahead - 1, SUMS - 1)];
    double all = 1.0;
    for (int i = 0; i < attackers + defenders; i++)
        all *= top;
    return (double)good / all;
}

static bool reaches(double probability, double threshold) { return probability >= threshold - SLACK; }

static int group_strength(const State *state, const Cards *cards, int group)
{
    int total = 0;
    for (int counter = 0; counter < COUNTERS; counter++)
        if (state->built[counter] && cards->group[counter] == group)
            total += state->modifier[counter];
    return total;
}

static int static_for(const Knobs *knobs, int fixed, int defenders)
{
    return defenders == 0 && !knobs->static_defence_when_declining ? 0 : fixed;
}

static double storm_chance(const State *state, const Knobs *knobs, const Cards *cards, int attackers, int defenders)
{
    int ahead = group_strength(state, cards, ASSAULT_GROUP) - static_for(knobs, state->walls, defenders);
    return chance(knobs, attackers, defenders, ahead);
}

static int worth(const Knobs *knobs, int card)
{
    int value = card % 10 + 1;
    return value == 1 && knobs->ace_value == 1 ? 11 : value;
}

static bool is_legal(const State *state, int action)
{
    for (int i = 0; i < state->n_legal; i++)
        if (state->legal[i] == action)
            return true;
    return false;
}

static int defend_assault(const State *state, const Knobs *knobs, const Cards *cards)
{
    int attackers = state->aside_len[BESIEGER];
    int most = state->n_legal - 1;
    for (int number = 0; number <= most; number++)
        if (storm_chance(state, knobs, cards, attackers, number) <= 0.02 + SLACK)
            return number;
    return most;
}

static int defend_contest(const State *state, const Knobs *knobs, const Cards *cards)
{
    int ahead, fixed, at_stake;
    if (state->n_legal < 2)
        return 0;
    if (state->seat == BESIEGED) {
        ahead = group_strength(state, cards, BOMBARD_GROUP);
        fixed = state->walls;
        at_stake = state->contest == BOMBARD_ENEMY ? (int)knobs->bombard_penalty : 3;
    } else {
        ahead = 0;
        fixed = group_strength(state, cards, CAMP_GROUP);
        at_stake = state->contest == SALLY_ENEMY ? (int)knobs->sally_penalty : 3;
    }
    double declined = chance(knobs, 1, 0, ahead - static_for(knobs, fixed, 0));
    double drawn = chance(knobs, 1, 1, ahead - fixed);
    return at_stake * (declined - drawn) > 1.0 + SLACK;
}

static int dearest_counter(const State *state)
{
    int best = state->legal[0];
    for (int i = 0; i < state->n_legal; i++)
        if (state->price[state->legal[i]] > state->price[best])
            best = state->legal[i];
    return best;
}

static int storm_stack_pick(const State *state, const Knobs *knobs)
{
    int side = state->seat;
    int placed = state->plan_placed;
    int top = state->deck_len[side] - 1 - placed;
    int best = 0;
    int best_rank = 0;
    for (int pick = 0; pick < state->plan_cards - placed; pick++) {
        int value = worth(knobs, state->deck[side][top - pick]);
        int rank = 1 <= placed && placed <= 3 ? value : -value;
        if (pick == 0 || rank > best_rank) {
            best = pick;
            best_rank = rank;
        }
    }
    return best;
}

static int answer(const State *state, const Knobs *knobs, const Cards *cards)
{
    if (state->decision == ASSAULT_SIZE)
        return state->legal[state->n_legal - 1];
    if (state->decision == DESTROY)
        return dearest_counter(state);
    if (state->decision == PLAN_PICK)
        return storm_stack_pick(state, knobs);
    if (state->decision == PLAN_MENU)
        return 3;
    if (state->seat == BESIEGED && state->contest == STORM)
        return defend_assault(state, knobs, cards);
    return defend_contest(state, knobs, cards);
}

static bool storm_now(const State *state, const Knobs *knobs, const Cards *cards, double threshold)
{
    if (!is_legal(state, STORM))
        return false;
    int own = state->deck_len[BESIEGER], other = state->deck_len[BESIEGED];
    int most = (int)knobs->assault_max_cards;
    int attackers = least(most, own - (int)knobs->assault_entry_cost);
    if (reaches(storm_chance(state, knobs, cards, attackers, least(most, other)), threshold))
        return true;
    return own <= 4 && own < other;
}

static int build(const State *state, const int *list, int size)
{
    for (int i = 0; i < size; i++)
        if (is_legal(state, CONSTRUCT + list[i]))
            return CONSTRUCT + list[i];
    return -1;
}

static int rusher(State *state, const Knobs *knobs, const Cards *cards, const double *traits)
{
    static const int wanted[] = {MINE, TOWER, LADDERS};
    if (state->decision != BESIEGER_ACTS)
        return answer(state, knobs, cards);
    if (storm_now(state, knobs, cards, traits[0]))
        return STORM;
    if (state->deck_len[BESIEGER] > traits[1]) {
        int action = build(state, wanted, 3);
        if (action >= 0)
            return action;
    }
    return is_legal(state, BOMBARD_WALLS) ? BOMBARD_WALLS : BOMBARD_ENEMY;
}

static int stormer(State *state, const Knobs *knobs, const Cards *cards, const double *traits)
{
    static const int wanted[] = {MINE, TOWER};
    if (state->decision != BESIEGER_ACTS)
        return answer(state, knobs, cards);
    if (state->deck_len[BESIEGER] > traits[0]) {
        int action = build(state, wanted, 2);
        if (action >= 0)
            return action;
    }
    return is_legal(state, STORM) ? STORM : BESIEGE;
}

static int raider(State *state, const Knobs *knobs, const Cards *cards, const double *traits)
{
    (void)traits;
    return state->decision == BESIEGED_ACTS ? SALLY_ENEMY : answer(state, knobs, cards);
}

static int mason(State *state, const Knobs *knobs, const Cards *cards, const double *traits)
{
    if (state->decision != BESIEGED_ACTS)
        return answer(state, knobs, cards);
    double height = traits[0] + group_strength(state, cards, ASSAULT_GROUP);
    return state->walls < height && is_legal(state, REPAIR) ? REPAIR : SALLY_ENEMY;
}

static Bot *bot_named(const char *name)
{
    static const Known known[] = {
        {"random", random_legal}, {"rusher", rusher}, {"stormer", stormer}, {"raider", raider}, {"mason", mason},
    };
    return find_bot(known, sizeof known / sizeof *known, name);
}

static const char *pairs(void) { return "random random\nrusher mason\nstormer raider"; }
