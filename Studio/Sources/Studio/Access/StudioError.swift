import Foundation
package import HTTPTypes
import Hummingbird
import Weighbridge

/// Why a request has no result.
package struct StudioError: Error {
  /// The status of the answer.
  package var status: HTTPResponse.Status
  /// What is wrong and what to do, for the person at the page.
  package var message: String
  /// After how many seconds asking again makes sense.
  package var retryAfter: Int?

  /// Makes an error.
  package init(_ status: HTTPResponse.Status, _ message: String, retryAfter: Int? = nil) {
    (self.status, self.message, self.retryAfter) = (status, message, retryAfter)
  }

  /// Makes an error of any other.
  package init(_ error: any Error) {
    switch error {
    case let error as StudioError: self = error
    case let error as WeighbridgeError:
      self.init(Self.status(of: error.code), Wording.namingOptions(error.description))
    case let error as any HTTPResponseError: self.init(error.status, "\(error.status)")
    default: self.init(.internalServerError, "Something went wrong: \(error).")
    }
  }

  private static func status(of code: WeighbridgeError.Code) -> HTTPResponse.Status {
    switch code {
    case .limitExceeded: .contentTooLarge
    case .cancelled: .serviceUnavailable
    case .outputFailed, .damaged: .internalServerError
    default: .unprocessableContent
    }
  }

  /// `{"error"}`
  var response: Response {
    var response = Response(json: ["error": message], status: status)
    if let retryAfter { response.headers[.retryAfter] = "\(retryAfter)" }
    return response
  }
}

extension Response {
  /// An answer in JSON.
  init(json value: some Encodable, status: HTTPResponse.Status = .ok) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    // Everything that is answered is text and finite numbers.
    let data = (try? encoder.encode(value)) ?? Data()
    self.init(Array(data), type: "application/json", status: status)
  }

  /// An answer of bytes, in parts, so that a client that reads slowly is seen to read.
  init(_ bytes: [UInt8], type: String, status: HTTPResponse.Status = .ok) {
    self.init(
      status: status, headers: [.contentType: type],
      body: ResponseBody(contentLength: bytes.count) { writer in
        var rest = bytes[...]
        while !rest.isEmpty {
          try await writer.write(ByteBuffer(bytes: rest.prefix(65_536)))
          rest = rest.dropFirst(65_536)
        }
        try await writer.finish(nil)
      })
  }
}
