import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

extension Studio {
  /// Serves the pages on 127.0.0.1 until the process is asked to end.
  ///
  /// - Parameters:
  ///   - port: The port; 0 for any that is free.
  ///   - onRunning: Called with the address once it is served.
  /// - Throws: When the port is not free.
  package func serve(port: Int, onRunning: @escaping @Sendable (String) -> Void) async throws {
    var logger = Logger(label: "weighbridge-studio")
    logger.logLevel = .critical
    let patience = TimeAmount.seconds(Int64(options.patience))
    let channel = HTTP1Channel.Configuration(
      additionalChannelHandlers: [StallGuard(patience: patience)], idleTimeout: patience)
    let application = Application(
      router: router, server: .http1(configuration: channel),
      configuration: ApplicationConfiguration(
        address: .hostname("127.0.0.1", port: port), backlog: 64,
        availableConnectionsDelegate: MaximumAvailableConnections(128)),
      onServerRunning: { [token] channel in
        onRunning("http://127.0.0.1:\(channel.localAddress?.port ?? port)/\(token.text)/model")
      }, logger: logger)
    try await application.runService()
  }
}
