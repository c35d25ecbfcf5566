// The board of one round: the snapshot with the moves made so far, and the kinds of pods that are being placed on it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scheduler/neighbours.h"
#include "scheduler/room.h"
#include "scheduler/snapshot.h"

namespace muster::scheduler {

struct Move {
    PodRef pod;
    const PodTerms* terms;  // null when it has none
    std::size_t node;
};

struct Board {
    explicit Board(const Snapshot& on);
    void put(Move move, const PodShape& shape);
    // Where a node of that name stands, if there is one.
    std::optional<std::size_t> find(const Text& node) const;

    const Snapshot& snapshot;
    DomainCache domains;
    std::vector<Room> rooms;  // as Snapshot::nodes
    std::vector<Move> moves;
};

// Pods that are alike in everything that decides where they may go.
class PodClass {
public:
    // `looks_around`: there are rules between these pods and others.
    PodClass(Board& board, PodRef sample, ShapeRef shape, const PodTerms* terms, bool looks_around);

    // The best node for one more of them, or the one that is kept for it; nothing when none fits.
    std::optional<std::size_t> choose(const Text& nominated_node);
    void put(const PodRef& pod, std::size_t node) { board_.put({pod, terms_, node}, *shape_); }

    // Why a node refuses, with everything placed so far.
    Refused check(std::size_t node);
    // The same without some of the node's pods, whose room is not taken in `room` any more.
    Refused check_without(const Room& room, const std::vector<const PlacedPod*>& gone);

    const PodShape& shape() const { return *shape_; }
    bool looks_around() const { return neighbours_ != nullptr; }
    Board& board() { return board_; }

    // What was found out when the last of them was refused, and what the board was like then.
    struct LastRefusal {
        std::size_t moves = 0;
        std::string message;
        unsigned wakes = 0;
        std::optional<std::string> preemption_failed;
    };
    // Still true: nothing was placed since, or nothing that could have helped.
    const LastRefusal* last_refusal() const;
    void refused(LastRefusal refusal) { last_refusal_ = std::move(refusal); }

private:
    struct Entry {
        std::int64_t score;
        std::size_t node;
        std::uint32_t version;
        bool operator<(const Entry& other) const {
            return score != other.score ? score < other.score : node > other.node;
        }
    };
    void apply_node_rules();
    bool feasible(std::size_t node) const;
    void catch_up();
    void push(std::size_t node);
    void fill_heap();
    std::optional<std::size_t> choose_from_heap();
    std::optional<std::size_t> choose_by_looking();
    std::int64_t own_score(std::size_t node) const;
    std::optional<std::size_t> best_of(const std::vector<std::size_t>& feasible_nodes) const;

    Board& board_;
    PodRef sample_;
    ShapeRef shape_;
    const PodTerms* terms_;
    std::vector<Reason> node_rules_;
    std::vector<std::int64_t> node_scores_;
    std::unique_ptr<Neighbours> neighbours_;
    std::vector<Entry> heap_;
    bool heap_filled_ = false;
    std::size_t seen_moves_ = 0;
    std::size_t look_from_ = 0;
    std::optional<LastRefusal> last_refusal_;
};

}  // namespace muster::scheduler
