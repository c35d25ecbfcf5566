#include "server/rest/streams/watch_streams.h"

#include <algorithm>

#include "os/loop/breath.h"
#include "os/loop/guard.h"
#include "server/kind_object/unreadable_object.h"
#include "server/kind_object/views.h"
#include "server/rest/list.h"
#include "server/rest/streams/websocket_stream.h"
#include "server/rest/verbs.h"

namespace muster::server {

class WatchStreams::Session {
public:
    Session(WatchStreams& owner, SessionSet<Session>::Id id, Call call, ListQuery list)
        : owner_(owner),
          id_(id),
          call_(std::move(call)),
          list_(std::move(list)),
          kind_(call_.resource_kind()),
          prefix_(list_prefix(stored_kind(kind_), call_.route.namespace_)),
          tasks_(owner.objects_.loop()) {}
    ~Session() {
        loop().cancel(end_timer_);
        loop().cancel(bookmark_timer_);
    }

    void begin(std::unique_ptr<os::HttpStream> stream) {
        stream_ = std::move(stream);
        Duration time = owner_.limits_.time_min * (1000 + owner_.random_.below(1000)) / 1000;
        if (list_.timeout_seconds && *list_.timeout_seconds > 0)
            time = std::min<Duration>(std::chrono::seconds(std::min<std::int64_t>(*list_.timeout_seconds, 86400)),
                                      time * 2);
        end_timer_ = loop().after(time, [this] { end(); });
        if (list_.bookmarks) schedule_bookmark();
        tasks_.spawn(os::apart(run(), "a watch", [this] { cut(); }));
    }

    // Not from within `run`.
    void end() {
        if (list_.bookmarks) bookmark();
        if (stream_) stream_->finish();
        owner_.sessions_.forget(id_);
    }

private:
    os::Loop& loop() const { return owner_.objects_.loop(); }
    store::Store& store() const { return owner_.objects_.store(); }

    os::Task<void> run() {
        store::Revision from = list_.version.value_or(store().durable_revision());
        const bool wants_state = list_.send_initial_events || (!list_.version && !call_.query.has("sendInitialEvents"));
        if (wants_state) {
            const Duration give_up_at = loop().uptime() + kVersionWait;
            while (!check_reached(owner_.objects_, list_.version.value_or(0)).ok() && loop().uptime() < give_up_at)
                co_await os::sleep_for(loop(), kVersionPoll);
            if (const Result<> reached = check_reached(owner_.objects_, list_.version.value_or(0)); !reached.ok()) {
                fail(reached.error());
                co_return;
            }
            auto listing = store().list(prefix_);
            // A prefix is always good; nothing else can fail without a version.
            CHECK(listing.ok());
            if (const Result<> readable = check_readable(kind_, *listing); !readable.ok()) {
                fail(readable.error());
                co_return;
            }
            from = listing->revision;
            co_await store().durable(from);
            co_await send_state(std::move(*listing));
        }
        if (list_.send_initial_events && list_.bookmarks) send_bookmark_at(from, true);
        state_unsent_ = stream_->unsent();
        auto opened = store().watch(prefix_, from, store::Visibility::kDurable);
        if (!opened.ok()) {
            fail(opened.error());
            co_return;
        }
        watch_ = std::move(*opened);
        for (;;) {
            if (over_ || !pump()) co_return;
            co_await watch_->ready();
            const auto pace = std::min(owner_.limits_.pace_per_watch * static_cast<std::int64_t>(owner_.count()),
                                       owner_.limits_.pace_max);
            if (pace >= 1ms) co_await os::sleep_for(loop(), pace);
        }
    }

    // With breaths: there may be a hundred thousand, and others have requests.
    os::Task<void> send_state(store::Listing listing) {
        os::Breath breath(loop());
        std::string batch;
        for (const store::Stored& item : listing.items) {
            co_await breath.take();
            const KindObjectPtr object = as_kind(std::static_pointer_cast<const KindObject>(item.object), kind_);
            if (!is_selected(*object, list_)) continue;
            batch += encode_event(WatchType::kAdded, *object, presentation(), take_first_table());
            if (batch.size() > kBatchBytes) write(batch);
        }
        write(batch);
    }

    // Writes all there is. False when the watch is over.
    bool pump() {
        std::size_t bytes = 0;
        for (;;) {
            Result<const store::Event*> next = watch_->next();
            if (!next.ok()) {
                write_batch();
                fail(next.error());
                return false;
            }
            if (!*next) break;
            const auto visible = visible_event(**next, kind_, list_);
            if (!visible) continue;
            if (call_.as.form.form == Form::kTable) {
                owner_.batch_.push_back(owner_.budget_->share(
                    encode_event(visible->type, *visible->object, presentation(), take_first_table())));
            } else {
                owner_.batch_.push_back(owner_.encoded_.encode(**next, *visible, call_.as));
            }
            bytes += owner_.batch_.back()->size();
            if (bytes > kBatchBytes) {
                write_batch();
                bytes = 0;
            }
        }
        write_batch();
        // The first state may be larger than what a client may be behind: it has time until it has read that.
        const std::size_t unsent = stream_->unsent();
        if (unsent <= owner_.limits_.unsent_bytes_max) state_unsent_ = 0;
        const bool is_crowded = unsent > owner_.limits_.crowded_bytes_max && owner_.budget_->is_over();
        if (!is_crowded && unsent <= owner_.limits_.unsent_bytes_max + state_unsent_) return true;
        // It could not even read the news that it is too late.
        cut();
        return false;
    }

    // The client sees that this is not the end of the watch, and lists again.
    void cut() {
        stream_.reset();
        end_soon();
    }

    void fail(const Error& error) {
        const Error told =
            error.code == Code::kExpired ? Error{Code::kExpired, "too old resource version: " + error.message} : error;
        stream_->write(owner_.budget_->share(encode_error_event(told, call_.as)));
        end_soon();
    }
    // A session must not be destroyed by its own coroutine.
    void end_soon() {
        over_ = true;
        loop().cancel(end_timer_);
        end_timer_ = loop().after(Duration(0), [this] { end(); });
    }

    void write(std::string& batch) {
        if (batch.empty()) return;
        stream_->write(owner_.budget_->share(std::move(batch)));
        batch.clear();
    }

    void write_batch() {
        if (owner_.batch_.empty()) return;
        stream_->write(owner_.joined_.join(owner_.batch_));
        owner_.batch_.clear();
    }

    void schedule_bookmark() {
        bookmark_timer_ = loop().after(owner_.limits_.bookmark_period, [this] {
            bookmark();
            schedule_bookmark();
        });
    }
    // Not from within `run`.
    void bookmark() {
        const Result<> sent = os::attempt([this] { send_bookmark(); });
        if (sent.ok()) return;
        os::report_failure("a watch", sent.error().message);
        cut();
    }
    // How far the store is, also when nothing has happened here.
    void send_bookmark() {
        if (!watch_ || over_ || !pump()) return;
        if (watch_->seen() > bookmarked_) send_bookmark_at(watch_->seen(), false);
    }
    void send_bookmark_at(store::Revision revision, bool initial_end) {
        bookmarked_ = revision;
        stream_->write(
            owner_.budget_->share(encode_bookmark(kind_, revision, initial_end, presentation(), take_first_table())));
    }

    Presentation presentation() const {
        Presentation as = call_.as;
        as.now = loop().now();
        return as;
    }
    bool take_first_table() { return std::exchange(first_table_, false); }

    static constexpr std::size_t kBatchBytes = 64u << 10;

    WatchStreams& owner_;
    const SessionSet<Session>::Id id_;
    const Call call_;
    const ListQuery list_;
    const api::KindInfo& kind_;
    const std::string prefix_;
    std::unique_ptr<os::HttpStream> stream_;
    std::unique_ptr<store::Watch> watch_;
    store::Revision bookmarked_ = 0;
    std::size_t state_unsent_ = 0;  // of the first state, while its client has not read it
    bool over_ = false;             // it only has to be ended
    bool first_table_ = true;
    os::TimerId end_timer_ = 0;
    os::TimerId bookmark_timer_ = 0;
    os::TaskScope tasks_;  // last: its coroutine uses all of the above
};

WatchStreams::WatchStreams(Objects& objects, std::uint64_t seed, WatchLimits limits,
                           std::shared_ptr<os::ByteBudget> budget)
    : objects_(objects),
      random_(seed),
      limits_(limits),
      budget_(std::move(budget)),
      sessions_(objects.loop(), "a watch") {}

WatchStreams::~WatchStreams() = default;

void WatchStreams::start(Call call, ListQuery list, std::unique_ptr<os::HttpExchange> exchange,
                         std::optional<Upgrade> upgrade) {
    const auto id = sessions_.take_id();
    const auto form = call.as.form.encoding == Encoding::kProtobuf ? MessageForm::kSized : MessageForm::kLines;
    os::HttpResponse head;
    head.headers.push_back({"Content-Type", call.as.form.stream_content_type()});
    Session& made = sessions_.add(id, std::make_unique<Session>(*this, id, std::move(call), std::move(list)));
    exchange->when_gone(sessions_.forgetting_on_loop(id));
    made.begin(upgrade ? stream_messages(objects_.loop(), *exchange, *std::move(upgrade), form,
                                         sessions_.forgetting(id), budget_)
                       : exchange->stream(std::move(head)));
}

void WatchStreams::finish_all() {
    while (Session* oldest = sessions_.oldest()) oldest->end();
}

}  // namespace muster::server
