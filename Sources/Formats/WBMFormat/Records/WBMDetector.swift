package import DetectorRecord

/// How boxes are read from a detector's outputs.
package typealias WBMDetector = WBMCodedRecord<DetectorDescription.Fields>
