extension String {
  /// The message with the names of the API replaced.
  ///
  /// - Parameter replacement: Returns the replacement for a name.
  package func replacingAPINames(_ replacement: (APIName) -> String) -> String {
    guard utf8.contains(UInt8(ascii: "`")) else { return self }
    return APIName.allCases.reduce(self) { message, name in
      message.split(separator: name.description, omittingEmptySubsequences: false)
        .joined(separator: replacement(name))
    }
  }
}
