// One thin slice through the whole design: a Job manifest is decoded, stored durably, seen by a watch, turned into a
// plan by a pure function and carried out through the client interface. The same scene plays on any loop and journal.
#pragma once

#include <string>
#include <vector>

#include "api/codec/decode.h"
#include "api/kinds/batch.h"
#include "client/client.h"
#include "controllers/ttl/controller.h"
#include "os/task.h"
#include "server/kind_object.h"
#include "server/local_client.h"
#include "store/store.h"

namespace muster::slice {

using api::batch::Job;

inline constexpr std::string_view kManifest = R"(
apiVersion: batch/v1
kind: Job
metadata:
  name: pi
  namespace: default
spec:
  ttlSecondsAfterFinished: 10
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: pi
        image: perl
        command: [perl, -e, print bpi(2000)]
)";

// A server's parts on a loop and a journal that the test provides.
class World {
public:
    World(os::Loop& loop, store::Journal& journal)
        : loop_(loop),
          store(store::Store::open(loop, journal, codec_).value()),
          client(loop, *store, 1),
          ttl_(loop, client) {}

    void start_controllers() { ttl_.start(); }

private:
    os::Loop& loop_;
    server::KindCodec codec_;

public:
    std::unique_ptr<store::Store> store;
    server::LocalClient client;

private:
    controllers::TtlController ttl_;
};

inline os::Task<Result<client::Ref<Job>>> create_job(client::Client& client) {
    CO_TRY_ASSIGN(Job job, api::from_yaml<Job>(kManifest));
    co_return co_await client.create(std::move(job));
}

// What the Job controller will do one day: say that the Job is complete.
inline os::Task<Result<client::Ref<Job>>> finish_job(client::Client& client, Instant at) {
    CO_TRY_ASSIGN(const auto job, co_await client.get<Job>({"default", "pi"}));
    Job finished = *job;
    const auto time = api::Time::from_instant(at);
    finished.status.conditions.edit().push_back(
        {.type = "Complete", .status = "True", .last_probe_time = time, .last_transition_time = time});
    co_return co_await client.update(std::move(finished));
}

// Writes down what a watch sees until the Job is gone.
inline os::Task<void> record_until_deleted(client::Client& client, std::vector<std::string>& seen) {
    auto watch = co_await client.watch<Job>("", "0");
    CHECK(watch.ok(), watch.ok() ? "" : format_error(watch.error()));
    for (;;) {
        const auto events = co_await watch->next();
        CHECK(events.ok());
        for (const auto& event : *events) {
            const char* types[] = {"ADDED", "MODIFIED", "DELETED"};
            seen.push_back(std::string(types[static_cast<int>(event.type)]) + " " + event.object->metadata.name.str() +
                           " @" + event.object->metadata.resource_version.str());
            if (event.type == client::EventType::kDeleted) co_return;
        }
    }
}

}  // namespace muster::slice
