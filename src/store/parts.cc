#include "store/parts.h"

#include <algorithm>

#include "base/check.h"

namespace muster::store {

std::uint64_t PartTable::number_of(const SharedBlock& block, void (*encode)(const void* context, std::string& out),
                                   const void* context) {
    CHECK(block.identity(), "an absent block is no part");
    const auto [found, added] = by_identity_.try_emplace(block.identity(), parts_.size());
    if (!added) return parts_[found->second].number;
    parts_.push_back({next_, block});
    fresh_.push_back({next_, {}});
    encode(context, fresh_.back().bytes);
    return next_++;
}

void PartTable::look_for_dead(std::size_t blocks_max) {
    for (std::size_t looked = std::min(blocks_max, parts_.size()); looked != 0; --looked) {
        if (look_at_ >= parts_.size()) look_at_ = 0;
        Part& part = parts_[look_at_];
        if (part.block.held_elsewhere()) {
            ++look_at_;
            continue;
        }
        found_.push_back(part.number);
        CHECK(by_identity_.erase(part.block.identity()) == 1, "the table knows each of its blocks");
        if (look_at_ != parts_.size() - 1) {
            part = std::move(parts_.back());
            by_identity_[part.block.identity()] = look_at_;
        }
        parts_.pop_back();
    }
}

std::vector<std::uint64_t> PartTable::take_dead(Revision group_revision, Revision newest) {
    CHECK(newest >= group_revision && (dying_.empty() || dying_.back().needs <= newest), "groups come in order");
    for (const std::uint64_t number : found_) dying_.push_back({number, newest});
    found_.clear();
    std::vector<std::uint64_t> dead;
    while (!dying_.empty() && dying_.front().needs <= group_revision) {
        dead.push_back(dying_.front().number);
        dying_.pop_front();
    }
    return dead;
}

void PartTable::restore(std::uint64_t number, SharedBlock block) {
    CHECK(number != 0 && block.identity(), "a part in use has a block");
    const bool added = by_identity_.try_emplace(block.identity(), parts_.size()).second;
    CHECK(added, "two parts are one block");
    parts_.push_back({number, std::move(block)});
    next_ = std::max(next_, number + 1);
}

void PartTable::restore_dead(std::uint64_t number) {
    found_.push_back(number);
    next_ = std::max(next_, number + 1);
}

Result<> PartLoader::hand_over(PartTable& table) {
    for (auto& [number, part] : parts_) {
        if (part.block.identity()) {
            table.restore(number, std::move(part.block));
        } else if (part.asked) {
            return Error{Code::kInternal, "part " + std::to_string(number) + " was read but not decoded"};
        } else {
            table.restore_dead(number);
        }
    }
    parts_.clear();
    return {};
}

Result<SharedBlock> PartLoader::find(std::uint64_t part) {
    const auto found = parts_.find(part);
    if (found == parts_.end()) return Error{Code::kCorrupt, "part " + std::to_string(part) + " is missing"};
    return found->second.block;
}

Result<std::string_view> PartLoader::bytes(std::uint64_t part) {
    const auto found = parts_.find(part);
    if (found == parts_.end()) return Error{Code::kCorrupt, "part " + std::to_string(part) + " is missing"};
    found->second.asked = true;
    return std::string_view(found->second.bytes);
}

void PartLoader::decoded(std::uint64_t part, SharedBlock block) {
    const auto found = parts_.find(part);
    CHECK(found != parts_.end() && block.identity());
    found->second.block = std::move(block);
    found->second.bytes = {};
}

}  // namespace muster::store
