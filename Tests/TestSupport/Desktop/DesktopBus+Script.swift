/// The program that acts on the bus.
extension DesktopBus {
  static let script = #"""
    import dbus, dbus.lowlevel, itertools, select, sys
    bus = dbus.bus.BusConnection(sys.argv[1])
    FPRINT = 'net.reactivated.Fprint'
    DEVICE = '/net/reactivated/Fprint/Device/0'
    def await_name(name):
        while not bus.name_has_owner(name):
            select.select([], [], [], 0.01)
    def call(name, path, interface, method, *arguments):
        found = bus.get_object(name, path, introspect=False)
        return found.get_dbus_method(method, interface)(*arguments)
    def device(method, *arguments):
        return call(FPRINT, DEVICE, FPRINT + '.Device', method, *arguments)
    def mock(name, path, method, *arguments):
        return call(name, path, 'org.freedesktop.DBus.Mock', method, *arguments)
    def allow(yes):
        mock('org.freedesktop.PolicyKit1', '/org/freedesktop/PolicyKit1/Authority', 'AllowUnknown', yes)
    LOGIND = ('org.freedesktop.login1', '/org/freedesktop/login1')
    def prepare_for_sleep(yes):
        mock(*LOGIND, 'EmitSignal', LOGIND[0] + '.Manager', 'PrepareForSleep', 'b',
             dbus.Array([dbus.Boolean(yes)], signature='v'))
    def refuse_inhibitors():
        mock(*LOGIND, 'AddMethod', LOGIND[0] + '.Manager', 'Inhibit', 'ssss', 'h',
             'raise dbus.exceptions.DBusException("no", name="org.freedesktop.DBus.Error.AccessDenied")')
    # Which session a process is in; that of no user if there is no name.
    def set_sessions(of):
        found = ', '.join(f'{process}: {name!r}' for process, name in of.items())
        mock(*LOGIND, 'AddMethod', LOGIND[0] + '.Manager', 'GetSessionByPID', 'u', 'o', f"""
    if int(args[0]) not in {{{found}}}:
        raise dbus.exceptions.DBusException('none', name='org.freedesktop.login1.NoSessionForPID')
    ret = dbus.ObjectPath('{LOGIND[1]}/session/' + {{{found}}}[int(args[0])])
    """)
        mock(*LOGIND, 'AddMethod', LOGIND[0] + '.Manager', 'GetUser', 'u', 'o', f"""
    if '{LOGIND[1]}/user/' + str(int(args[0])) not in objects:
        raise dbus.exceptions.DBusException('none', name='org.freedesktop.login1.NoSuchUser')
    ret = dbus.ObjectPath('{LOGIND[1]}/user/' + str(int(args[0])))
    """)
    # Every process of these users is in the session named.
    def seat_users(of):
        for user, name in of.items():
            add_session(name, 'seat0', user)
            set_session(name, State='active')
        found = {int(user): name for user, name in of.items()}
        mock(*LOGIND, 'AddMethod', LOGIND[0] + '.Manager', 'GetSessionByPID', 'u', 'o', f"""
    import re
    try:
        user = int(re.search('Uid:[^0-9]*([0-9]+)', open(f'/proc/{{int(args[0])}}/status').read()).group(1))
    except FileNotFoundError:
        user = None
    if user not in {found}:
        raise dbus.exceptions.DBusException('none', name='org.freedesktop.login1.NoSessionForPID')
    ret = dbus.ObjectPath('{LOGIND[1]}/session/' + {found}[user])
    """)
    def set_display(user, name):
        path = dbus.ObjectPath(of_session(name) if name else '/')
        call(LOGIND[0], f'{LOGIND[1]}/user/{user}', 'org.freedesktop.DBus.Properties', 'Set',
             LOGIND[0] + '.User', 'Display', dbus.Struct((name, path), signature='so'))
    # Not by UpdateProperties, which cannot tell of a pair.
    def set_session(name, **facts):
        for key, value in facts.items():
            call(LOGIND[0], of_session(name), 'org.freedesktop.DBus.Properties', 'Set', SESSION, key,
                 value)
    # A session for each combination of facts, and a process in each, by its number.
    def add_combinations(**facts):
        for number, values in enumerate(itertools.product(*facts.values())):
            add_strange(f'c{number}', Id=f'c{number}', **dict(zip(facts, values)))
        mock(*LOGIND, 'AddMethod', LOGIND[0] + '.Manager', 'GetSessionByPID', 'u', 'o',
             f"ret = dbus.ObjectPath('{LOGIND[1]}/session/c' + str(int(args[0])))")
    # Invalid facts of logind about a session.
    def add_strange(name, **facts):
        mock(*LOGIND, 'AddObject', of_session(name), SESSION, dbus.Dictionary(facts, signature='sv'),
             dbus.Array([], signature='(ssss)'))
    def user_of(number):
        return dbus.Struct((dbus.UInt32(number), dbus.ObjectPath(f'{LOGIND[1]}/user/{number}')), signature='uo')
    def seat_of(name):
        return dbus.Struct((name, dbus.ObjectPath(f'{LOGIND[1]}/seat/{name}' if name else '/')), signature='so')
    def inhibits():
        found = call(*LOGIND, LOGIND[0] + '.Manager', 'ListInhibitors')
        return any(i[1] == 'Thumblatch' and i[0] == 'sleep' and i[3] == 'delay' for i in found)
    def await_inhibitor(there):
        while inhibits() != there:
            select.select([], [], [], 0.01)
    def still_inhibits(times):
        return all(inhibits() and not select.select([], [], [], 0.01)[0] for _ in range(times))
    SESSION = LOGIND[0] + '.Session'
    def of_session(name):
        return LOGIND[1] + '/session/' + name
    def announce(what, name):
        mock(*LOGIND, 'EmitSignal', LOGIND[0] + '.Manager', what, 'so',
             dbus.Array([name, dbus.ObjectPath(of_session(name))], signature='v'))
    def update_session(name, key, value):
        mock(LOGIND[0], of_session(name), 'UpdateProperties', SESSION,
             dbus.Dictionary({key: value}, signature='sv'))
    def add_session(name, seat, user, kind='user'):
        mock(*LOGIND, 'AddSession', name, 'seat0', dbus.UInt32(user), 'ada', True)
        if not seat:
            call(LOGIND[0], of_session(name), 'org.freedesktop.DBus.Properties', 'Set', SESSION,
                 'Seat', dbus.Struct(('', dbus.ObjectPath('/')), signature='so'))
        update_session(name, 'Class', kind)
        announce('SessionNew', name)
    def remove_session(name):
        mock(*LOGIND, 'RemoveObject', of_session(name))
        announce('SessionRemoved', name)
    def session(name, method, *arguments):
        return call(LOGIND[0], of_session(name), SESSION, method, *arguments)
    def await_claim():
        while True:
            try:
                return device('Claim', '')
            except dbus.DBusException as error:
                if not error.get_dbus_name().endswith('AlreadyInUse'):
                    raise
                select.select([], [], [], 0.01)
    def await_needed():
        while not call(FPRINT, DEVICE, 'org.freedesktop.DBus.Properties', 'Get', FPRINT + '.Device',
                       'finger-needed'):
            select.select([], [], [], 0.005)
    def status(name, done):
        call(FPRINT, DEVICE, 'io.thumblatch.Test', 'Send', name, done)
    def flood(name, done, count):
        return str(call(FPRINT, DEVICE, 'io.thumblatch.Test', 'Flood', name, done, count))
    def calls():
        return str(call(FPRINT, DEVICE, 'io.thumblatch.Test', 'Calls'))
    def await_armed():
        while not call(FPRINT, DEVICE, 'io.thumblatch.Test', 'IsArmed'):
            select.select([], [], [], 0.01)
    def let_go():
        call(FPRINT, DEVICE, 'io.thumblatch.Test', 'LetGo')
    def await_calls(names):
        while calls() != names:
            select.select([], [], [], 0.01)
    # A match that a stranger sends straight to every connection of a process.
    def forge(process, path, interface, name, *arguments):
        count = 0
        for unique in bus.list_names():
            if not unique.startswith(':') or unique == bus.get_unique_name():
                continue
            if bus.get_object('org.freedesktop.DBus', '/', introspect=False).GetConnectionUnixProcessID(
                    unique, dbus_interface='org.freedesktop.DBus') != process:
                continue
            message = dbus.lowlevel.SignalMessage(path, interface, name)
            message.set_destination(unique)
            message.append(*arguments)
            bus.send_message(message)
            count += 1
        bus.flush()
        return count
    for line in sys.stdin:
        try:
            print(repr(eval(line)), flush=True)
        except dbus.DBusException as error:
            print(error.get_dbus_name(), error.get_dbus_message().replace('\n', ' '), flush=True)

    """#
}
