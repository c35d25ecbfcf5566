#include "scheduler/board.h"

#include <algorithm>

#include "scheduler/node_rules.h"

namespace muster::scheduler {
namespace {

// How much the scores count against each other; free room and balance count once.
constexpr std::int64_t kNodeWishWeight = 2;
constexpr std::int64_t kSoftTaintWeight = 3;
constexpr std::int64_t kPodWishWeight = 2;
constexpr std::int64_t kSoftSpreadWeight = 2;

// Of many nodes it is enough to find some that fit, and to take the best of those: as many as upstream does.
constexpr std::size_t kLookedAtMin = 100;
std::size_t enough_nodes(std::size_t nodes) {
    if (nodes < kLookedAtMin) return nodes;
    const std::size_t percent = nodes / 125 >= 45 ? 5 : 50 - nodes / 125;
    return std::max(kLookedAtMin, nodes * percent / 100);
}

}  // namespace

Board::Board(const Snapshot& on) : snapshot(on), domains(on.nodes()) {
    rooms.reserve(on.nodes().size());
    for (const NodeInfo* node : on.nodes()) rooms.emplace_back(*node);
}

void Board::put(Move move, const PodShape& shape) {
    rooms[move.node].add(shape);
    moves.push_back(std::move(move));
}

std::optional<std::size_t> Board::find(const Text& node) const {
    const NodeInfo* info = node.empty() ? nullptr : snapshot.find_node(node);
    if (!info) return {};
    return info->index;
}

PodClass::PodClass(Board& board, PodRef sample, ShapeRef shape, const PodTerms* terms, bool looks_around)
    : board_(board), sample_(std::move(sample)), shape_(std::move(shape)), terms_(terms) {
    apply_node_rules();
    if (looks_around) neighbours_ = std::make_unique<Neighbours>(board.snapshot, board.domains, *sample_, *shape_);
}

void PodClass::apply_node_rules() {
    const auto& nodes = board_.snapshot.nodes();
    node_rules_.reserve(nodes.size());
    node_scores_.resize(nodes.size());
    std::vector<std::int64_t> wishes(nodes.size());
    std::vector<int> taints(nodes.size());
    std::int64_t most_wished = 0;
    int most_taints = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const api::core::Node& node = *nodes[i]->node;
        node_rules_.push_back(check_node_rules(*shape_, node));
        if (node_rules_[i] != Reason::kNone) continue;
        wishes[i] = node_preference(*shape_, node);
        taints[i] = count_soft_taints(shape_->tolerations, node);
        most_wished = std::max(most_wished, wishes[i]);
        most_taints = std::max(most_taints, taints[i]);
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (most_wished > 0) node_scores_[i] += kNodeWishWeight * kScoreMax * wishes[i] / most_wished;
        if (most_taints > 0) node_scores_[i] -= kSoftTaintWeight * kScoreMax * taints[i] / most_taints;
    }
}

const PodClass::LastRefusal* PodClass::last_refusal() const {
    // Without rules about other pods, what is placed only takes room away.
    const bool holds = last_refusal_ && (!neighbours_ || last_refusal_->moves == board_.moves.size());
    return holds ? &*last_refusal_ : nullptr;
}

void PodClass::catch_up() {
    const std::size_t moves = board_.moves.size();
    if (!neighbours_) {
        if (!heap_filled_ || moves - seen_moves_ > board_.rooms.size()) fill_heap();
        for (; seen_moves_ < moves; ++seen_moves_) push(board_.moves[seen_moves_].node);
        return;
    }
    for (; seen_moves_ < moves; ++seen_moves_) {
        const Move& move = board_.moves[seen_moves_];
        neighbours_->count({*move.pod, move.terms}, move.node, 1);
    }
}

bool PodClass::feasible(std::size_t node) const {
    if (node_rules_[node] != Reason::kNone || !fits(board_.rooms[node], *shape_)) return false;
    return !neighbours_ || neighbours_->check(node) == Reason::kNone;
}

std::int64_t PodClass::own_score(std::size_t node) const {
    return node_scores_[node] + score_room(board_.rooms[node], *shape_);
}

void PodClass::push(std::size_t node) {
    if (!feasible(node)) return;
    heap_.push_back({own_score(node), node, board_.rooms[node].version});
    std::push_heap(heap_.begin(), heap_.end());
}

void PodClass::fill_heap() {
    heap_.clear();
    for (std::size_t i = 0; i < board_.rooms.size(); ++i)
        if (feasible(i)) heap_.push_back({own_score(i), i, board_.rooms[i].version});
    std::make_heap(heap_.begin(), heap_.end());
    heap_filled_ = true;
    seen_moves_ = board_.moves.size();
}

std::optional<std::size_t> PodClass::choose(const Text& nominated_node) {
    catch_up();
    const auto nominated = board_.find(nominated_node);
    if (nominated && feasible(*nominated)) return nominated;
    return neighbours_ ? choose_by_looking() : choose_from_heap();
}

// A node that changed has a newer entry, so that what is on top and up to date is the best.
std::optional<std::size_t> PodClass::choose_from_heap() {
    while (!heap_.empty()) {
        const Entry& best = heap_.front();
        if (best.version == board_.rooms[best.node].version) return best.node;
        std::pop_heap(heap_.begin(), heap_.end());
        heap_.pop_back();
    }
    return {};
}

std::optional<std::size_t> PodClass::choose_by_looking() {
    const std::size_t nodes = board_.rooms.size();
    const std::size_t enough = enough_nodes(nodes);
    std::vector<std::size_t> found;
    std::size_t looked = 0;
    for (; looked < nodes && found.size() < enough; ++looked) {
        const std::size_t node = (look_from_ + looked) % nodes;
        if (feasible(node)) found.push_back(node);
    }
    if (nodes > 0) look_from_ = (look_from_ + looked) % nodes;
    return best_of(found);
}

std::optional<std::size_t> PodClass::best_of(const std::vector<std::size_t>& feasible_nodes) const {
    if (feasible_nodes.empty()) return {};
    std::vector<std::int64_t> scores;
    for (const std::size_t node : feasible_nodes) scores.push_back(own_score(node));
    if (neighbours_->has_wishes()) {
        std::vector<std::int64_t> wishes;
        std::vector<double> skews;
        for (const std::size_t node : feasible_nodes) {
            wishes.push_back(neighbours_->wish_score(node));
            skews.push_back(neighbours_->soft_skew(node));
        }
        const auto [least, most] = std::minmax_element(wishes.begin(), wishes.end());
        const double worst = *std::max_element(skews.begin(), skews.end());
        for (std::size_t i = 0; i < scores.size(); ++i) {
            if (*most > *least) scores[i] += kPodWishWeight * kScoreMax * (wishes[i] - *least) / (*most - *least);
            if (skews[i] != Neighbours::kNoDomain)
                scores[i] += static_cast<std::int64_t>(kSoftSpreadWeight * kScoreMax *
                                                       (worst > 0 ? (worst - skews[i]) / worst : 1));
        }
    }
    return feasible_nodes[static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin())];
}

Refused PodClass::check(std::size_t node) {
    catch_up();
    return check_without(board_.rooms[node], {});
}

Refused PodClass::check_without(const Room& room, const std::vector<const PlacedPod*>& gone) {
    const std::size_t node = room.node->index;
    Refused refused;
    if (node_rules_[node] != Reason::kNone) {
        refused.reasons.emplace_back(node_rules_[node], Text());
        refused.preemption_may_help = false;
        return refused;
    }
    refused = check_room(room, *shape_);
    if (refused || !neighbours_) return refused;
    const auto count_gone = [&](int by) {
        for (const PlacedPod* placed : gone)
            neighbours_->count({*placed->pod, placed->terms ? &placed->terms->terms : nullptr}, node, by);
    };
    count_gone(-1);
    const Reason reason = neighbours_->check(node);
    count_gone(1);
    if (reason == Reason::kNone) return refused;
    refused.reasons.emplace_back(reason, Text());
    refused.preemption_may_help = reason != Reason::kSpreadLabel && reason != Reason::kPodAffinity;
    return refused;
}

}  // namespace muster::scheduler
