/// A program that owns fprintd's name on a test's bus.
enum FalseFprintd {
  static let script = #"""
    import dbus, dbus.mainloop.glib, dbus.service, sys
    from gi.repository import GLib
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.bus.BusConnection(sys.argv[1])
    early = sys.argv[2:]
    I = 'net.reactivated.Fprint'
    calls, held, armed = [], [], []
    class Manager(dbus.service.Object):
        @dbus.service.method(I + '.Manager', out_signature='ao')
        def GetDevices(self):
            return ['/net/reactivated/Fprint/Device/0']
    class Device(dbus.service.Object):
        @dbus.service.method(I + '.Device', in_signature='s', out_signature='as')
        def ListEnrolledFingers(self, user):
            known = ['right-index-finger']
            # An enrollment happens between two queries.
            if 'grow' in early and 'Claim' in calls:
                known.append('left-thumb')
            return known
        @dbus.service.method(I + '.Device', in_signature='s')
        def Claim(self, user):
            calls.append('Claim')
        @dbus.service.method(I + '.Device', async_callbacks=('done', 'failed'))
        def Release(self, done, failed):
            calls.append('Release')
            if 'hold' in early:
                held.append(done)
            else:
                done()
        @dbus.service.method(I + '.Device')
        def VerifyStop(self):
            calls.append('VerifyStop')
            armed.clear()
        @dbus.service.method(I + '.Device', in_signature='s', async_callbacks=('done', 'failed'))
        def VerifyStart(self, finger, done, failed):
            calls.append('VerifyStart')
            if 'mute' in early:
                return
            armed.clear()
            self.VerifyFingerSelected('any')
            result = early.pop(0) if early and early[0] not in ('hold', 'grow') else ''
            if result == 'restless':
                early.append('restless')
                GLib.timeout_add(1, lambda: self.VerifyStatus('verify-retry-scan', True))
            elif result:
                self.VerifyStatus(result, True)
            done()
        @dbus.service.method('org.freedesktop.DBus.Properties', in_signature='s',
                             out_signature='a{sv}')
        def GetAll(self, interface):
            # Later signals come after the answer, so they are no longer early.
            armed.append(True)
            return {'name': 'A\x1b[2Jreader', 'num-enroll-stages': dbus.Int32(-1)}
        @dbus.service.signal(I + '.Device', signature='sb')
        def VerifyStatus(self, result, done): pass
        @dbus.service.signal(I + '.Device', signature='s')
        def VerifyFingerSelected(self, finger): pass
        @dbus.service.method('io.thumblatch.Test', in_signature='sb')
        def Send(self, result, done):
            self.VerifyStatus(result, done)
        @dbus.service.method('io.thumblatch.Test', in_signature='sbi')
        def Flood(self, result, done, count):
            for _ in range(count):
                self.VerifyStatus(result, done)
        @dbus.service.method('io.thumblatch.Test', out_signature='s')
        def Calls(self):
            return ' '.join(calls)
        @dbus.service.method('io.thumblatch.Test', out_signature='b')
        def IsArmed(self):
            return 'VerifyStart' in calls and bool(armed)
        @dbus.service.method('io.thumblatch.Test')
        def LetGo(self):
            while held:
                held.pop()()
    manager = Manager(bus, '/net/reactivated/Fprint/Manager')
    device = Device(bus, '/net/reactivated/Fprint/Device/0')
    name = dbus.service.BusName(I, bus)
    GLib.MainLoop().run()

    """#
}
