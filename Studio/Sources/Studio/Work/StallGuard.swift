import HTTPTypes
import NIOCore
import NIOHTTPTypes

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Resets connections whose client stops reading, or goes on sending after it has its answer.
///
/// Closing would not do: what the system has taken of an answer stays there, and the end of the connection waits
/// behind it until the client reads. Hummingbird closes connections whose client stops sending.
final class StallGuard: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let patience: TimeAmount
  /// How long a client may go on sending after it has its answer, so that it sees the answer.
  private let lingering = TimeAmount.seconds(2)
  /// Parts of answers that the system has not taken yet.
  private var waitingCount = 0
  private var isRequestBeingRead = false
  private var timer: Scheduled<Void>?

  init(patience: TimeAmount) { self.patience = patience }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head: isRequestBeingRead = true
    case .body: break
    case .end:
      isRequestBeingRead = false
      if waitingCount == 0 { timer?.cancel() }
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    waitingCount += 1
    if waitingCount == 1 { resetLater(context, patience) }
    let isLast = if case .end = unwrapOutboundIn(data) { true } else { false }
    let written = promise ?? context.eventLoop.makePromise()
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    written.futureResult.whenComplete { _ in
      let (handler, context) = bound.value
      handler.partWritten(context, isLast: isLast)
    }
    context.write(data, promise: written)
  }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  private func partWritten(_ context: ChannelHandlerContext, isLast: Bool) {
    waitingCount -= 1
    timer?.cancel()
    if waitingCount > 0 {
      resetLater(context, patience)
    } else if isLast, isRequestBeingRead {
      resetLater(context, lingering)
    }
  }

  private func resetLater(_ context: ChannelHandlerContext, _ time: TimeAmount) {
    timer?.cancel()
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    timer = context.eventLoop.scheduleTask(in: time) { Self.reset(bound.value) }
  }

  /// Closes the connection and has the system drop what it has not sent.
  private static func reset(_ context: ChannelHandlerContext) {
    // On the channel's own loop, where this is called, the option is set at once.
    _ = (context.channel as? any SocketOptionProvider)?
      .setSoLinger(linger(l_onoff: 1, l_linger: 0))
    context.close(promise: nil)
  }
}

@available(*, unavailable)
extension StallGuard: Sendable {}
