#include "os/machine/byte_budget.h"

#include <algorithm>
#include <limits>

namespace muster::os {

std::size_t default_budget(std::uint64_t memory_bytes) {
    constexpr std::uint64_t kMin = 256u << 20;
    constexpr std::uint64_t kMax = std::uint64_t{4} << 30;
    return static_cast<std::size_t>(std::clamp(memory_bytes / 4, kMin, kMax));
}

ByteBudget::Account::Account(std::shared_ptr<ByteBudget> budget, std::uint64_t user, std::size_t limit)
    : budget_(std::move(budget)), user_(user), limit_(limit) {}

ByteBudget::Account::~Account() {
    std::lock_guard lock(budget_->mutex_);
    // Another may have been made for the user since.
    const auto found = budget_->accounts_.find(user_);
    if (found != budget_->accounts_.end() && found->second.expired()) budget_->accounts_.erase(found);
}

std::shared_ptr<ByteBudget::Account> ByteBudget::account_of(std::uint64_t user) {
    std::lock_guard lock(mutex_);
    std::weak_ptr<Account>& place = accounts_[user];
    std::shared_ptr<Account> account = place.lock();
    if (!account) {
        account = std::make_shared<Account>(shared_from_this(), user, user == 0 ? limits_.strangers : limits_.user);
        place = account;
    }
    return account;
}

std::shared_ptr<ByteBudget::Account> ByteBudget::account_of_all() {
    return std::make_shared<Account>(shared_from_this(), 0, std::numeric_limits<std::size_t>::max());
}

std::size_t ByteBudget::used() const {
    return used_.load(std::memory_order_relaxed) + history_.load(std::memory_order_relaxed);
}

std::shared_ptr<const std::string> ByteBudget::share(std::string bytes) {
    struct Counted {
        Counted(std::shared_ptr<ByteBudget> of, std::string held) : budget(std::move(of)), text(std::move(held)) {
            budget->used_.fetch_add(text.size(), std::memory_order_relaxed);
        }
        ~Counted() { budget->used_.fetch_sub(text.size(), std::memory_order_relaxed); }
        const std::shared_ptr<ByteBudget> budget;
        const std::string text;
    };
    auto counted = std::make_shared<Counted>(shared_from_this(), std::move(bytes));
    const std::string* text = &counted->text;
    return {std::move(counted), text};
}

bool HeldBytes::resize(std::size_t bytes, Rule rule) {
    if (!account_) return true;
    if (bytes <= bytes_) {
        shrink(bytes_ - bytes);
        return true;
    }
    ByteBudget& budget = *account_->budget_;
    const std::size_t more = bytes - bytes_;
    const bool is_alone = rule == Rule::kOneBeyondTheUsers && account_->user_ != 0 && account_->used() == bytes_;
    const bool fits = (is_alone || account_->used() + more <= account_->limit_) && budget.has_room(more);
    if (!fits && rule != Rule::kAlways) return false;
    account_->used_.fetch_add(more, std::memory_order_relaxed);
    budget.used_.fetch_add(more, std::memory_order_relaxed);
    bytes_ = bytes;
    return true;
}

void HeldBytes::shrink(std::size_t by) {
    if (!account_ || by == 0) return;
    account_->used_.fetch_sub(by, std::memory_order_relaxed);
    account_->budget_->used_.fetch_sub(by, std::memory_order_relaxed);
    bytes_ -= by;
}

void HeldBytes::move_to(std::shared_ptr<ByteBudget::Account> account) {
    if (account == account_) return;
    const std::size_t bytes = bytes_;
    shrink(bytes);
    account_ = std::move(account);
    if (!account_) return;
    account_->used_.fetch_add(bytes, std::memory_order_relaxed);
    account_->budget_->used_.fetch_add(bytes, std::memory_order_relaxed);
    bytes_ = bytes;
}

}  // namespace muster::os
