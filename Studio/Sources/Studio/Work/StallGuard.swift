import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes connections whose client stops reading, or goes on sending after it has its answer.
///
/// Hummingbird closes those that stop sending.
final class StallGuard: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let patience: TimeAmount
  /// So long an answer may take to be read before the rest of an upload is cut off.
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
    if waitingCount == 1 { closeLater(context, patience) }
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
      closeLater(context, patience)
    } else if isLast, isRequestBeingRead {
      closeLater(context, lingering)
    }
  }

  private func closeLater(_ context: ChannelHandlerContext, _ time: TimeAmount) {
    timer?.cancel()
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    timer = context.eventLoop.scheduleTask(in: time) { bound.value.close(promise: nil) }
  }
}

@available(*, unavailable)
extension StallGuard: Sendable {}
