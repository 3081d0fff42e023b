/// The version of this package.
public let weighbridgeVersion = "0.2.0"
