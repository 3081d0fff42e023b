import Bytes
import JSON

extension String {
  /// The library's message with the program's options in place of the names in its API.
  var namingOptions: String { replacingAPINames(\.option) }
}

extension JSONValue {
  /// The library's report with the program's options in place of the names in its API.
  var namingOptions: JSONValue { mapStrings(\.namingOptions) }
}
