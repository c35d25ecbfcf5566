// Limits the bytes that the server keeps for its clients: incomplete requests, bodies that wait to be decoded, answers
// that are not sent yet, events that watches have not taken. The bytes are real sizes, counted where they are kept. All
// unknown clients share one account, each user has one account for all connections, and there is a total for all
// accounts. When a limit would be exceeded, the caller is told and must refuse or disconnect the client. Every function
// may be called from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace muster::os {

struct BudgetLimits {
    std::size_t total = 1u << 30;
    std::size_t strangers = 16u << 20;  // all unauthenticated clients together
    std::size_t user = 64u << 20;       // one user
};

// The default total: a quarter of the machine's memory, within reason. 0 is a machine that does not say.
std::size_t default_budget(std::uint64_t memory_bytes);

class ByteBudget : public std::enable_shared_from_this<ByteBudget> {
public:
    explicit ByteBudget(const BudgetLimits& limits = {}) : limits_(limits) {}

    class Account {
    public:
        Account(std::shared_ptr<ByteBudget> budget, std::uint64_t user, std::size_t limit);
        ~Account();
        std::size_t used() const { return used_.load(std::memory_order_relaxed); }

    private:
        friend class ByteBudget;
        friend class HeldBytes;
        const std::shared_ptr<ByteBudget> budget_;
        const std::uint64_t user_;
        const std::size_t limit_;
        std::atomic<std::size_t> used_{0};
    };
    // Of one user, by any number that stands for them; 0 are those who are not known.
    std::shared_ptr<Account> account_of(std::uint64_t user);
    // For what counts in the total only.
    std::shared_ptr<Account> account_of_all();

    // Everything that is kept, with what others have reported.
    std::size_t used() const;
    bool is_over() const { return used() > limits_.total; }
    // What is kept elsewhere and counts here, too: the history for watches.
    void report_history(std::size_t bytes) { history_.store(bytes, std::memory_order_relaxed); }
    // Bytes with many owners, such as an event for many watches. They count once, until the last owner releases them.
    // They are never refused: the caller disconnects clients that keep too many of them (`is_over`).
    std::shared_ptr<const std::string> share(std::string bytes);
    // Whether a stream with so many bytes unsent should wait for its client: beyond its own limit, and while all
    // together keep too much, when it has anything unsent at all.
    bool is_behind(std::size_t unsent, std::size_t unsent_max) const {
        return unsent > unsent_max || (unsent > 0 && is_over());
    }
    const BudgetLimits& limits() const { return limits_; }

private:
    friend class HeldBytes;
    bool has_room(std::size_t more) const { return used() + more <= limits_.total; }

    const BudgetLimits limits_;
    std::atomic<std::size_t> used_{0};
    std::atomic<std::size_t> history_{0};
    std::mutex mutex_;                                                    // guards the next
    std::unordered_map<std::uint64_t, std::weak_ptr<Account>> accounts_;  // accounts in use
};

// Bytes that are kept for one client. They are given back when it is destroyed.
class HeldBytes {
public:
    HeldBytes() = default;
    explicit HeldBytes(std::shared_ptr<ByteBudget::Account> account) : account_(std::move(account)) {}
    ~HeldBytes() { shrink(bytes_); }
    HeldBytes(const HeldBytes&) = delete;
    HeldBytes& operator=(const HeldBytes&) = delete;

    enum class Rule {
        kWithinLimits,
        // An answer may be larger than a user's limit, if nothing else is kept for the user: else it could never be
        // given.
        kOneBeyondTheUsers,
        kAlways,
    };
    // So many are kept now. False when they are more than before and too many; nothing has changed then. Without an
    // account nothing is counted.
    bool resize(std::size_t bytes, Rule rule = Rule::kWithinLimits);
    // What is held belongs to another account from now on, whether it has room or not.
    void move_to(std::shared_ptr<ByteBudget::Account> account);
    const std::shared_ptr<ByteBudget::Account>& account() const { return account_; }
    std::size_t bytes() const { return bytes_; }

private:
    void shrink(std::size_t by);

    std::shared_ptr<ByteBudget::Account> account_;
    std::size_t bytes_ = 0;
};

}  // namespace muster::os
