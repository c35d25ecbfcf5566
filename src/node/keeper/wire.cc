#include "node/keeper/wire.h"

#include <algorithm>
#include <charconv>

namespace muster::node {
namespace {

class LineWriter {
public:
    explicit LineWriter(std::string_view word, std::size_t expected = 0) {
        line_.reserve(expected);
        line_ += word;
    }
    LineWriter& add(std::string_view field) {
        line_ += '\t';
        std::size_t plain = 0;  // where what needs no escape began
        for (std::size_t i = 0; i < field.size(); ++i) {
            const char c = field[i];
            if (c != '\\' && c != '\t' && c != '\n') continue;
            line_.append(field, plain, i - plain) += '\\';
            line_ += c == '\t' ? 't' : c == '\n' ? 'n' : c;
            plain = i + 1;
        }
        line_.append(field, plain);
        return *this;
    }
    LineWriter& add(std::int64_t number) {
        char digits[20];
        line_ += '\t';
        line_.append(digits, std::to_chars(digits, std::end(digits), number).ptr);
        return *this;
    }
    LineWriter& add(Instant at) { return add(static_cast<std::int64_t>(at.since_epoch().count())); }
    LineWriter& add(const RunKey& key) { return add(key.pod_uid.view()).add(key.container.view()).add(key.attempt); }
    LineWriter& add(const std::vector<std::string>& words) {
        add(static_cast<std::int64_t>(words.size()));
        for (const std::string& word : words) add(std::string_view(word));
        return *this;
    }
    LineWriter& add(const os::SetupSteps& steps) {
        add(static_cast<std::int64_t>(steps.size()));
        for (const os::SetupStep& step : steps) {
            add(static_cast<std::int64_t>(step.kind))
                .add(std::string_view(step.path))
                .add(std::string_view(step.source));
            add(std::string_view(step.inside)).add(std::string_view(step.detail));
            add(static_cast<std::int64_t>(step.flags)).add(step.id).add(static_cast<std::int64_t>(step.groups.size()));
            for (const std::uint32_t group : step.groups) add(static_cast<std::int64_t>(group));
        }
        return *this;
    }
    // How many are set, and then each with what it is of.
    LineWriter& add(const os::CgroupLimits& limits) {
        const std::optional<std::int64_t> all[] = {limits.memory_bytes, limits.cpu_milli, limits.cpu_requested,
                                                   limits.processes};
        add(static_cast<std::int64_t>(
            std::count_if(std::begin(all), std::end(all), [](const auto& each) { return each.has_value(); })));
        for (std::size_t i = 0; i < std::size(all); ++i)
            if (all[i]) add(static_cast<std::int64_t>(i)).add(*all[i]);
        return *this;
    }
    std::string finish() {
        line_ += '\n';
        return std::move(line_);
    }

private:
    std::string line_;
};

// Reading past the end or a bad number makes it not ok; values are then anything.
class LineReader {
public:
    explicit LineReader(std::string_view line) : rest_(line) {}
    std::string text() {
        const std::string_view field = next();
        std::string out;
        std::size_t plain = 0;  // where what is not escaped began
        for (std::size_t i = field.find('\\'); i < field.size() && i + 1 < field.size(); i = field.find('\\', plain)) {
            out.append(field, plain, i - plain);
            const char escaped = field[i + 1];
            out += escaped == 't' ? '\t' : escaped == 'n' ? '\n' : escaped;
            plain = i + 2;
        }
        out.append(field, plain);
        return out;
    }
    std::int64_t number() {
        const std::string_view field = next();
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
        if (error != std::errc() || end != field.data() + field.size()) ok_ = false;
        return value;
    }
    int small() { return static_cast<int>(number()); }
    Instant instant() { return Instant::from_unix(Duration(number())); }
    RunKey key() {
        RunKey key;
        key.pod_uid = text();
        key.container = text();
        key.attempt = small();
        return key;
    }
    std::vector<std::string> words() {
        std::vector<std::string> words;
        const std::int64_t count = number();
        for (std::int64_t i = 0; i < count && ok_; ++i) words.push_back(text());
        return words;
    }
    os::SetupSteps steps() {
        os::SetupSteps steps;
        const std::int64_t count = number();
        for (std::int64_t i = 0; i < count && ok_; ++i) {
            os::SetupStep& step = steps.emplace_back();
            const std::int64_t kind = number();
            if (kind < 0 || kind > os::kLastSetupKind) ok_ = false;
            step.kind = static_cast<os::SetupStep::Kind>(kind);
            step.path = text();
            step.source = text();
            step.inside = text();
            step.detail = text();
            step.flags = static_cast<std::uint64_t>(number());
            step.id = number();
            const std::int64_t groups = number();
            for (std::int64_t j = 0; j < groups && ok_; ++j)
                step.groups.push_back(static_cast<std::uint32_t>(number()));
        }
        return steps;
    }
    os::CgroupLimits limits() {
        os::CgroupLimits limits;
        std::optional<std::int64_t>* const all[] = {&limits.memory_bytes, &limits.cpu_milli, &limits.cpu_requested,
                                                    &limits.processes};
        for (std::int64_t left = number(); left > 0 && ok_; --left) {
            const auto which = static_cast<std::size_t>(number());
            const std::int64_t amount = number();
            if (which >= std::size(all)) ok_ = false;
            if (ok_) *all[which] = amount;
        }
        return limits;
    }
    bool finished() const { return ok_ && at_end_; }

private:
    // A field as it is written: a tab is always the end of one.
    std::string_view next() {
        if (at_end_) ok_ = false;
        const std::size_t end = rest_.find('\t');
        const std::string_view field = rest_.substr(0, end);
        at_end_ = end == std::string_view::npos;
        rest_.remove_prefix(at_end_ ? rest_.size() : end + 1);
        return field;
    }

    std::string_view rest_;
    bool at_end_ = false;
    bool ok_ = true;
};

// Most lines of these are shorter: they grow in one piece of memory.
constexpr std::size_t kStartLength = 2048;
constexpr std::size_t kRecordLength = 320;
constexpr std::string_view kRecord = "record";
// As files have it that were written before records had an address: what they name must not be started again.
constexpr std::string_view kOldRecord = "run";
constexpr int kLastState = static_cast<int>(RunState::kLost);

Result<Message> parse_record(LineReader& reader, bool with_address) {
    RunRecord record;
    record.key = reader.key();
    const int state = reader.small();
    if (state < 0 || state > kLastState) return Error{Code::kCorrupt, "a record of a run has an unknown state"};
    record.state = static_cast<RunState>(state);
    record.pid = reader.small();
    record.start_ticks = static_cast<std::uint64_t>(reader.number());
    record.started_at = reader.instant();
    record.ended_at = reader.instant();
    record.code = reader.small();
    record.signal = reader.small();
    record.log_path = reader.text();
    record.boot = reader.text();
    record.message = reader.text();
    if (with_address) record.pod_ip = reader.text();
    record.out_of_memory = reader.small() != 0;
    return Message(std::move(record));
}

std::string format_one(const RunRequest& request) {
    return LineWriter("start", kStartLength)
        .add(request.key)
        .add(std::string_view(request.directory))
        .add(std::string_view(request.log_path))
        .add(request.command)
        .add(request.environment)
        .add(request.setup)
        .add(request.limits)
        .add(request.pod_limits)
        .add(request.input ? 1 : 0)
        .add(request.pod_ip.view())
        .add(request.terminal ? 1 : 0)
        .finish();
}
std::string format_one(const SignalRequest& request) {
    return LineWriter("signal").add(request.key).add(request.number).finish();
}
std::string format_one(const ForgetRequest& request) {
    return LineWriter("forget").add(request.pod_uid.view()).finish();
}
std::string format_one(const CompleteSince& since) { return LineWriter("complete").add(since.at).finish(); }
std::string format_one(const OlderPod& pod) { return LineWriter("older").add(pod.pod_uid.view()).finish(); }
std::string format_one(const EnteredRun& run) {
    return LineWriter("entered").add(static_cast<std::int64_t>(run.label)).finish();
}
std::string format_one(const Synced&) { return "synced\n"; }
std::string format_one(const KeeperVersion& version) { return LineWriter("version").add(version.number).finish(); }

std::string format_one(const OldestServer& oldest) { return LineWriter("oldest").add(oldest.number).finish(); }

std::string format_one(const Unclear& unclear) { return LineWriter("unclear").add(unclear.what).finish(); }
std::string format_one(const Notice& notice) {
    return LineWriter("notice").add(std::string_view(notice.text)).finish();
}
std::string format_one(const LogLimits& limits) {
    return LineWriter("logs").add(limits.size_max).add(limits.files_max).finish();
}
std::string format_one(const StreamMessage& message) {
    return LineWriter("stream")
        .add(message.key)
        .add(static_cast<std::int64_t>(message.kind))
        .add(message.first)
        .add(message.second)
        .add(std::string_view(message.bytes))
        .finish();
}
std::string format_one(const RunRecord& record) {
    return LineWriter(kRecord, kRecordLength)
        .add(record.key)
        .add(static_cast<std::int64_t>(record.state))
        .add(record.pid)
        .add(static_cast<std::int64_t>(record.start_ticks))
        .add(record.started_at)
        .add(record.ended_at)
        .add(record.code)
        .add(record.signal)
        .add(std::string_view(record.log_path))
        .add(std::string_view(record.boot))
        .add(std::string_view(record.message))
        .add(record.pod_ip.view())
        .add(record.out_of_memory ? 1 : 0)
        .finish();
}

}  // namespace

std::string format_message(const Message& message) {
    return std::visit([](const auto& each) { return format_one(each); }, message);
}

std::string format_message(const RunRequest& request) { return format_one(request); }

std::string format_message(const RunRecord& record) { return format_one(record); }

namespace {

Result<Message> parse_stream_message(LineReader& reader) {
    StreamMessage message;
    message.key = reader.key();
    const int kind = reader.small();
    if (kind < 0 || kind > kLastStreamKind) return Error{Code::kCorrupt, "a message about a stream is of no kind"};
    message.kind = static_cast<StreamMessage::Kind>(kind);
    message.first = reader.number();
    message.second = reader.number();
    message.bytes = reader.text();
    return Message(std::move(message));
}

}  // namespace

Result<Message> parse_message(std::string_view line) {
    LineReader reader(line);
    const std::string word = reader.text();
    Result<Message> message = Error{Code::kNotFound, "not a message of the node: " + word};
    if (word == "synced") {
        message = Message(Synced());
    } else if (word == "version") {
        message = Message(KeeperVersion{reader.small()});
    } else if (word == "oldest") {
        message = Message(OldestServer{reader.small()});
    } else if (word == "unclear") {
        message = Message(Unclear{reader.text()});
    } else if (word == "notice") {
        message = Message(Notice{reader.text()});
    } else if (word == "complete") {
        message = Message(CompleteSince{reader.instant()});
    } else if (word == "entered") {
        message = Message(EnteredRun{static_cast<std::uint64_t>(reader.number())});
    } else if (word == "older") {
        message = Message(OlderPod{reader.text()});
    } else if (word == "stream") {
        message = parse_stream_message(reader);
    } else if (word == "logs") {
        LogLimits limits;
        limits.size_max = reader.number();
        limits.files_max = reader.number();
        message = Message(limits);
    } else if (word == "forget") {
        ForgetRequest forget;
        forget.pod_uid = reader.text();
        message = Message(std::move(forget));
    } else if (word == "signal") {
        SignalRequest signal;
        signal.key = reader.key();
        signal.number = reader.small();
        message = Message(std::move(signal));
    } else if (word == "start") {
        RunRequest request;
        request.key = reader.key();
        request.directory = reader.text();
        request.log_path = reader.text();
        request.command = reader.words();
        request.environment = reader.words();
        request.setup = reader.steps();
        request.limits = reader.limits();
        request.pod_limits = reader.limits();
        request.input = reader.small() != 0;
        request.pod_ip = reader.text();
        request.terminal = reader.small() != 0;
        message = Message(std::move(request));
    } else if (word == kRecord || word == kOldRecord) {
        message = parse_record(reader, word == kRecord);
    }
    if (message.ok() && !reader.finished()) return Error{Code::kCorrupt, "a message of the node is cut: " + word};
    return message;
}

}  // namespace muster::node
