// What the process tells its operator, line by line: a sentence and fields with names.
//     LOG_INFO(2, "Created pods", {"job", name}, {"count", 5});      LOG_WARNING("…", …);      LOG_ERROR("…", …);
// A line goes to the log that is installed (os/log/logger.h writes to standard error); without one nothing is told. A
// line that is off costs one comparison, and its fields are not computed. Any thread may log.
// Verbosity is klog's: 0 what an operator must always see, 2 what is done, 4 why, 6 requests, 8 their sizes.
// Nothing secret may be logged: no tokens, no headers, no values of Secrets, no specs. Name objects instead.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/instant.h"

namespace muster::os {

enum class LogLevel : std::uint8_t { kInfo, kWarning, kError };

// The name of an API object; without a namespace that is empty.
struct LogObject {
    std::string namespace_;
    std::string name;
    bool operator==(const LogObject&) const = default;
};

class LogValue {
public:
    using Held = std::variant<std::string, std::int64_t, std::uint64_t, double, bool, LogObject>;

    // Implicit, all of them: a field is written {"key", value}.
    // NOLINTBEGIN(google-explicit-constructor)
    template <class T>
    requires std::convertible_to<const T&, std::string_view> LogValue(const T& text)
        : held_(std::string(std::string_view(text))) {}
    template <std::signed_integral T>
    LogValue(T number) : held_(static_cast<std::int64_t>(number)) {}
    template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>) LogValue(T number) : held_(static_cast<std::uint64_t>(number)) {}
    LogValue(double number) : held_(number) {}
    LogValue(std::same_as<bool> auto value) : held_(value) {}
    LogValue(Duration span);  // as Go prints it: "1.5s"
    LogValue(LogObject object) : held_(std::move(object)) {}
    // What is named by a namespace and a name.
    template <class T>
    requires(!std::same_as<T, LogObject> &&
             requires(const T& of) {
                 std::string_view(of.namespace_);
                 std::string_view(of.name);
             }) LogValue(const T& object)
        : held_(LogObject{std::string(std::string_view(object.namespace_)),
                          std::string(std::string_view(object.name))}) {}
    // NOLINTEND(google-explicit-constructor)

    const Held& held() const { return held_; }
    bool operator==(const LogValue&) const = default;

private:
    Held held_;
};

struct LogField {
    std::string_view key;  // a literal
    LogValue value;
    bool operator==(const LogField&) const = default;
};

// Where a line comes from. There is one for each place that logs.
struct LogSite {
    const char* file;
    int line;
};

struct LogRecord {
    LogLevel level;
    int verbosity;  // of kInfo
    const LogSite* site;
    std::string_view message;
    std::span<const LogField> fields;
};

class Log {
public:
    virtual ~Log() = default;
    // Called by any thread, by one at a time.
    virtual void write(const LogRecord& record) = 0;
};

// The log of the process from now on, until this is destroyed: then the one before it is there again.
class InstalledLog {
public:
    InstalledLog(Log& log, int verbosity);
    ~InstalledLog();
    InstalledLog(const InstalledLog&) = delete;
    InstalledLog& operator=(const InstalledLog&) = delete;

private:
    Log* before_ = nullptr;
    const int verbosity_before_;
};

namespace detail {
inline constexpr int kLogOff = -1;
inline std::atomic<int> log_verbosity{kLogOff};
}  // namespace detail

inline bool log_is_on(int verbosity) { return verbosity <= detail::log_verbosity.load(std::memory_order_relaxed); }
// To the log that is installed, if any. Use the macros.
void log_line(LogLevel level, int verbosity, const LogSite& site, std::string_view message,
              std::initializer_list<LogField> fields);

}  // namespace muster::os

// The lambda keeps the list of fields out of the frames of coroutines.
#define MUSTER_LOG(level, verbosity, message, ...)                                              \
    do {                                                                                        \
        if (::muster::os::log_is_on(verbosity)) [[unlikely]]                                    \
            [&] {                                                                               \
                static constexpr ::muster::os::LogSite site_of_line{__FILE__, __LINE__};        \
                ::muster::os::log_line(level, verbosity, site_of_line, message, {__VA_ARGS__}); \
            }();                                                                                \
    } while (false)

#define LOG_INFO(verbosity, message, ...) \
    MUSTER_LOG(::muster::os::LogLevel::kInfo, verbosity, message __VA_OPT__(, ) __VA_ARGS__)
#define LOG_WARNING(message, ...) MUSTER_LOG(::muster::os::LogLevel::kWarning, 0, message __VA_OPT__(, ) __VA_ARGS__)
#define LOG_ERROR(message, ...) MUSTER_LOG(::muster::os::LogLevel::kError, 0, message __VA_OPT__(, ) __VA_ARGS__)
