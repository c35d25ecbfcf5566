// Lines of text between two processes of this machine, over a Unix socket in a directory. For a handful of peers that
// trust each other: what is sent waits in memory until the peer reads it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/descriptor.h"
#include "os/loop/real_loop.h"

namespace muster::os {

class LineSocket {
public:
    // All the lines that have arrived by now, without their ends; a later call has what arrived later.
    using OnLines = std::function<void(std::vector<std::string> lines)>;
    // The peer is gone; nothing more comes. The socket may be destroyed from here on, not from within.
    using OnClose = std::function<void()>;

    // kUnavailable or kNotFound when there is no listener.
    static Result<std::unique_ptr<LineSocket>> connect(RealLoop& loop, const std::string& path);
    LineSocket(RealLoop& loop, Descriptor socket);
    ~LineSocket();
    LineSocket(const LineSocket&) = delete;
    LineSocket& operator=(const LineSocket&) = delete;

    // Before the loop turns again.
    void listen(OnLines on_lines, OnClose on_close);
    // Whole lines with their ends.
    void send(std::string_view lines);
    bool closed() const { return !socket_; }

private:
    void on_ready(RealLoop::Readiness ready);
    void read_all();
    void write_some();
    void close();

    RealLoop& loop_;
    Descriptor socket_;
    RealLoop::WatchId watch_ = 0;
    std::string received_;
    std::string waiting_;
    OnLines on_lines_;
    OnClose on_close_;
};

class LineListener {
public:
    using OnAccept = std::function<void(std::unique_ptr<LineSocket> socket)>;
    // Replaces a socket file that is left from before. The caller must hold the lock of the directory.
    static Result<std::unique_ptr<LineListener>> open(RealLoop& loop, const std::string& path, OnAccept on_accept);
    LineListener(RealLoop& loop, Descriptor socket, OnAccept on_accept);
    ~LineListener();
    LineListener(const LineListener&) = delete;
    LineListener& operator=(const LineListener&) = delete;

private:
    void accept_all();

    RealLoop& loop_;
    Descriptor socket_;
    RealLoop::WatchId watch_ = 0;
    OnAccept on_accept_;
};

}  // namespace muster::os
