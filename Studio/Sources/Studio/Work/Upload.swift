import Foundation
import HTTPTypes
import Hummingbird

/// What a client may send, and how long it may take.
package struct UploadLimit: Sendable {
  /// The most bytes.
  package var byteCount: Int
  /// How long sending may take.
  package var time: Duration

  /// Makes a limit.
  package init(byteCount: Int, time: Duration = .seconds(120)) {
    (self.byteCount, self.time) = (byteCount, time)
  }

  var tooLarge: StudioError {
    StudioError(.contentTooLarge, "This is too large: the limit is \(byteCount >> 20) MiB.")
  }
}

extension Request {
  /// Hands over the body in parts as they come.
  ///
  /// - Throws: ``StudioError`` with the status 413 as soon as the body is known to be too large, 408 when
  ///   it takes too long; what `consume` throws.
  func readBody(
    _ limit: UploadLimit, _ consume: (ByteBuffer) throws -> Void
  ) async throws {
    if let stated = headers[.contentLength].flatMap({ Int($0) }), stated > limit.byteCount {
      throw limit.tooLarge
    }
    let deadline = ContinuousClock.now + limit.time
    var count = 0
    for try await buffer in body {
      count += buffer.readableBytes
      guard count <= limit.byteCount else { throw limit.tooLarge }
      guard deadline > .now else {
        throw StudioError(.requestTimeout, "Sending this took longer than \(limit.time).")
      }
      try consume(buffer)
    }
  }

  /// The whole body, in memory.
  func bytes(_ limit: UploadLimit) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    try await readBody(limit) { bytes.append(contentsOf: $0.readableBytesView) }
    return bytes
  }

  /// What the body says in JSON.
  func json<Value: Decodable>(_ type: Value.Type, _ limit: UploadLimit) async throws -> Value {
    do {
      return try JSONDecoder().decode(type, from: Data(try await bytes(limit)))
    } catch let error as DecodingError {
      throw StudioError(.badRequest, "The request is not understood: \(error).")
    }
  }
}
