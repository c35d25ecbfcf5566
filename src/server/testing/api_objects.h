// Objects under the API's rules, on a loop in virtual time over a disk in memory, with one namespace "ns" to be in:
// what tests of writes and of requests begin with.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/decode.h"
#include "api/codec/encode.h"
#include "api/kinds/core/namespace.h"
#include "os/testing/virtual_loop.h"
#include "server/objects/objects.h"
#include "server/rest/incoming.h"
#include "store/testing/memory_journal.h"

namespace muster::server {

inline constexpr const char* kPodSpec = "spec: {containers: [{name: c, image: busybox}]}\n";
inline constexpr const char* kJobSpec =
    "spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: busybox}]}}}\n";

class ApiObjects {
public:
    // A group of writes takes twice `disk_delay` to be durable.
    explicit ApiObjects(store::StoreOptions options = {}, Duration disk_delay = 0ns,
                        AdmissionChain chain = default_admission())
        : worker(loop, 1, disk_delay, disk_delay),
          store(store::Store::open(loop, journal, codec, options).value()),
          objects(loop, *store, std::move(chain), {}, 7, kinds) {
        create<api::core::Namespace>("metadata: {name: ns}");
        settle();
    }

    // Everything written so far is on disk.
    void settle() {
        CHECK(loop.run_until([&] { return store->durable_revision() == store->revision(); }));
        loop.run_until_idle();
    }

    template <class K>
    static std::shared_ptr<KindObject> draft(std::string_view yaml) {
        return std::make_shared<TypedObject<K>>(api::from_yaml<K>(yaml).value());
    }
    template <class K>
    static Place place(std::string_view name) {
        return {api::kind_info<K>(), api::kind_info<K>().options.namespaced ? "ns" : "", name};
    }
    template <class K>
    static const K& as(const KindObjectPtr& object) {
        return server::as<K>(*object);
    }

    template <class K>
    Result<Outcome> try_create(std::string_view yaml, const WriteOptions& options = {}) {
        return objects.create(place<K>(""), draft<K>(yaml), options);
    }
    template <class K>
    const K& create(std::string_view yaml) {
        created_.push_back(try_create<K>(yaml).value().object);
        return as<K>(created_.back());
    }
    // Replaces a part of the object by what `change` makes of it.
    template <class K, class Change>
    Result<Outcome> update(std::string_view name, Change change, Part part = Part::kMain,
                           const WriteOptions& options = {}) {
        const auto edit = [&](const KindObjectPtr& before) -> Result<std::shared_ptr<KindObject>> {
            K now = as<K>(before);
            change(now);
            return std::shared_ptr<KindObject>(std::make_shared<TypedObject<K>>(std::move(now)));
        };
        return objects.update(place<K>(name), part, edit, SentUid::kPrecondition, options);
    }
    template <class K>
    Result<Outcome> remove(std::string_view name, std::string_view options_yaml = "{}",
                           const WriteOptions& options = {}) {
        return objects.remove(place<K>(name), api::from_yaml<api::meta::DeleteOptions>(options_yaml).value(), options);
    }
    // Null when it is not there.
    template <class K>
    KindObjectPtr find(std::string_view name) const {
        auto found = objects.get(place<K>(name));
        return found.ok() ? *found : nullptr;
    }
    // It must be there. What was read stays as it was.
    template <class K>
    const K& get(std::string_view name) const {
        read_.push_back(objects.get(place<K>(name)).value());
        return as<K>(read_.back());
    }

    os::VirtualLoop loop;
    store::MemoryDisk disk;
    const std::shared_ptr<Kinds> kinds = std::make_shared<Kinds>();
    KindCodec codec{kinds};
    os::VirtualWorker worker;
    store::MemoryJournal journal{loop, worker, disk};
    std::unique_ptr<store::Store> store;
    Objects objects;

private:
    std::vector<KindObjectPtr> created_;
    mutable std::vector<KindObjectPtr> read_;
};

// A request as it would be read off the wire: JSON unless the headers say otherwise.
inline os::HttpRequest make_request(std::string method, std::string target, std::string body = {},
                                    std::vector<os::HttpHeader> headers = {}) {
    os::HttpRequest request;
    request.method = std::move(method);
    request.target = std::move(target);
    request.headers = std::move(headers);
    request.body = std::move(body);
    return request;
}

// The call that a request is; the request must be a good one.
inline Call make_call(std::string method, std::string target, std::string body = {},
                      std::vector<os::HttpHeader> headers = {}) {
    os::HttpRequest request = make_request(std::move(method), std::move(target), std::move(body), std::move(headers));
    Target parsed = parse_target(request.target).value();
    Route route = parse_route(request.method, parsed);
    Incoming incoming = read_resource_head(request, std::move(parsed), std::move(route));
    if (incoming.wants_body) read_resource_body(incoming, request.body);
    CHECK(!incoming.problem, format_error(*incoming.problem));
    return std::move(incoming.call);
}

inline std::string text_of(const Answer& answer) {
    if (const auto* text = std::get_if<std::string>(&answer.body)) return *text;
    if (const auto* make = std::get_if<std::function<std::string()>>(&answer.body)) return (*make)();
    return **std::get_if<os::SharedBytes>(&answer.body);
}

}  // namespace muster::server
